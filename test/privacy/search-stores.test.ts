import { expect, it } from "vitest";
import { sharedStores } from "./installation.js";
import { findCanary, newCanary } from "./search.js";

it("finds a leak planted in Postgres and in Redis", async () => {
  const stores = await sharedStores();
  try {
    const [row, value] = [newCanary(), newCanary()];
    const database = new URL(stores.env.SOTTO_DATABASE_URL ?? "").pathname.slice(1);
    await stores.postgres.query(`create table leak as select '${row}' as x`, database);
    await stores.redis?.command((redis) => redis.set(value, value));
    const texts = await stores.texts();
    const found = findCanary(row, texts, stores.folders).map(({ place }) => place);
    expect(found).toContain("postgres");
    expect(found.some((place) => place.startsWith(stores.postgres.dataDir))).toBe(true);
    const inRedis = findCanary(value, texts, []).map(({ place }) => place);
    expect(inRedis.includes("redis")).toBe(stores.redis !== null);
  } finally {
    await stores.close();
  }
});
