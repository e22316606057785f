import { createPublicKey, randomBytes, verify } from "node:crypto";
import { expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import {
  isOld,
  LastPrivacyCheck,
  type PrivacyCheckResult,
  readCheck,
  saveCheck,
  verdictOf,
} from "./privacy-check.js";
import { Signer } from "./signer.js";

const result: PrivacyCheckResult = {
  type: "sotto-privacy-check",
  version: "1.2.3",
  at: "2026-11-17T12:00:00.000Z",
  waited_seconds: 60,
  requests_sent: 20,
  requests_unexpected: 0,
  places: [
    { kind: "database", verdict: "clean" },
    { kind: "swap", verdict: "unknown" },
  ],
};

function settings() {
  const stored = new Map<string, string>();
  return {
    stored,
    getSetting: async (name: string) => stored.get(name) ?? null,
    setSetting: async (name: string, value: string) => void stored.set(name, value),
  };
}

it("keeps the result with a signature that anyone can check", async () => {
  const [store, signer] = [settings(), new Signer(randomBytes(32))];
  await saveCheck(store, signer, result);
  expect(await readCheck(store)).toEqual({ result, verdict: "unknown", isSigned: true });
  const saved = JSON.parse([...store.stored.values()].join()) as Record<string, string>;
  const x = signer.publicKey.toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signature = Buffer.from(saved["signature"] ?? "", "base64url");
  expect(verify(null, Buffer.from(saved["result"] ?? ""), key, signature)).toBe(true);
  expect(verify(null, Buffer.from(saved["result"]?.replace("clean", "found") ?? ""), key, signature)).toBe(
    false,
  );
  await saveCheck(store, null, result);
  expect(await readCheck(store)).toMatchObject({ isSigned: false });
});

it("is as bad as the worst place", () => {
  const places = (...verdicts: ("clean" | "found" | "unknown")[]) => verdicts.map((verdict) => ({ verdict }));
  expect(verdictOf(places("clean", "unknown", "found"))).toBe("found");
  expect(verdictOf(places("clean", "unknown"))).toBe("unknown");
  expect(verdictOf(places("clean", "clean"))).toBe("clean");
});

it("is old after a month", () => {
  expect(isOld(result, new Date("2026-12-17T12:00:00Z"))).toBe(false);
  expect(isOld(result, new Date("2026-12-19T12:00:00Z"))).toBe(true);
});

it("is read again after a while, and stays while the database is unavailable", async () => {
  const [store, clock] = [settings(), new FakeClock()];
  const last = new LastPrivacyCheck(store, clock);
  expect(await last.read()).toBeNull();
  await saveCheck(store, null, result);
  expect(await last.read()).toBeNull();
  clock.advance(20_000);
  expect(await last.read()).toMatchObject({ result });
  store.getSetting = () => Promise.reject(new Error("unavailable"));
  clock.advance(20_000);
  expect(await last.read()).toMatchObject({ result });
});
