/** Data of earlier versions in Postgres, opened by this one. */
import { it } from "vitest";
import { sharedPostgres } from "../../support/stores/postgres.js";
import { fixtureVersions, restorePostgres } from "../../support/stores/upgrade-fixture.js";
import { expectEverything } from "./upgraded.js";

it.each(fixtureVersions)("finds everything that %s wrote", async (version) => {
  const server = await sharedPostgres();
  const url = server.url(await server.createDatabase());
  await restorePostgres(version, url);
  await expectEverything(version, { SOTTO_DATABASE_URL: url });
});
