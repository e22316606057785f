/** `sotto verify` as a user of a service sees it: what changed in words, and every refusal with its cause. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Signer } from "../../../src/core/proof/signer.js";
import { signed, type Signed, type Statement } from "../../../src/core/proof/statement.js";
import type { StatementDocument } from "../../../src/core/proof/statements.js";
import { proofPaths } from "../../../src/protocol/proof/proof-paths.js";
import { CannotVerify, verifyService, type VerifyOptions } from "../../../src/protocol/proof/verify.js";
import {
  type Facts,
  firstFacts,
  ProofService,
  type Replica,
  tampered,
} from "../../support/processes/proof-service.js";

let service: ProofService;
let replica: Replica;

beforeEach(async () => {
  service = await ProofService.open();
  replica = await service.replica();
});
afterEach(() => service.close());

const check = (options: VerifyOptions = {}, { url } = replica) =>
  verifyService(url, { now: service.clock.now(), ...options });
/** What is remembered after a check that holds. */
const remembered = async () => (await check()).remembered;

/** Other facts than before, taken up by the server. */
async function become(facts: Partial<Facts>): Promise<void> {
  replica.facts = { ...replica.facts, ...facts };
  service.clock.advance(1_000);
  await replica.statements.look();
}

describe("a service that has nothing to hide", () => {
  it("is verified at first use, and again when nothing changed", async () => {
    const first = await check();
    expect(first).toMatchObject({ refused: null, warnings: [], changes: null });
    expect(first.statement).toMatchObject({ version: "1.0.0", hardware_evidence: null });
    expect(await check({ remembered: first.remembered })).toMatchObject({ refused: null, changes: [] });
  });

  it("is verified by the key that its operator published", async () => {
    const pin = replica.statements.current?.signing_key ?? "";
    expect(await check({ pin })).toMatchObject({ refused: null });
  });

  it("is verified over a log of hundreds of entries, from any checkpoint on", async () => {
    const early = await remembered();
    for (let version = 0; version < 120; version++) await become({ version: `2.${version}.0` });
    expect(replica.statements.log.head.size).toBe(121);
    for (const before of [null, early]) {
      const result = await check({ remembered: before });
      expect(result).toMatchObject({ refused: null, remembered: { size: 121 } });
    }
  });
});

const other = "9".repeat(64);
const tiny = firstFacts.models.omega;
const changes: [name: string, facts: Partial<Facts>, words: string][] = [
  ["the version", { version: "1.1.0" }, "The version changed from 1.0.0 to 1.1.0."],
  ["the commit", { commit: "3".repeat(40) }, "The commit changed from 111111111111… to 333333333333…."],
  [
    "the program",
    { program: other },
    "The hash of the program's files changed from 222222222222… to 999999999999….",
  ],
  [
    "the weights of a model",
    { models: { ...firstFacts.models, omega: [{ runs: "embedded", name: "Large", weights: other }] } },
    "omega changed from Tiny on its own machine (weights abababababab…) to Large on its own machine (weights 999999999999…).",
  ],
  [
    "where a model runs",
    {
      models: {
        omega: tiny,
        prism: tiny,
        lambda: [{ runs: "upstream", host: "gpu:8000", findings: ["It logs."] }],
        iota: [],
      },
    },
    "lambda changed from Tiny on its own machine (weights abababababab…) to the engine at gpu:8000 (It logs.).",
  ],
  ["tracing", switched({ tracing: "on" }), "Tracing changed from off to on."],
  [
    "prefix reuse",
    switched({ prefix_reuse: "off" }),
    "Reuse of conversations in memory changed from on to off.",
  ],
  ["item memory", switched({ item_memory: "off" }), "Memory of items changed from on to off."],
  ["the log level", switched({ log_level: "trace" }), "The log level changed from info to trace."],
  ["the log format", switched({ log_format: "text" }), "The log format changed from json to text."],
  ["core dumps", { machine: { core_dumps: "on", swap: "off" } }, "Core dumps changed from off to on."],
  ["swap", { machine: { core_dumps: "off", swap: "on" } }, "Swap changed from off to on."],
];

function switched(switches: Partial<Facts["switches"]>): Partial<Facts> {
  return { switches: { ...firstFacts.switches, ...switches } };
}

describe("a change is said in words:", () => {
  it.each(changes)("%s", async (_name, facts, words) => {
    const before = await remembered();
    await become(facts);
    expect(await check({ remembered: before })).toMatchObject({ refused: null, changes: [words] });
  });

  it("the key for encrypted bodies", async () => {
    const before = await remembered();
    replica.hpkeKey = other;
    const result = await check({ remembered: before });
    expect(result.refused).toBeNull();
    expect(result.changes).toEqual(["The key for encrypted bodies changed from none to 999999999999…."]);
  });

  it("the signing key, rotated by the old one", async () => {
    const before = await remembered();
    const { old, next } = await service.rotate();
    await replica.statements.look();
    const result = await check({ remembered: before });
    expect(result.refused).toBeNull();
    expect(result.changes?.[0]).toMatch(/^The signing key was rotated from /);
    expect(result.remembered?.keys).toEqual([old, next].map((key) => key.publicKey.toString("hex")));
    // The old one was pinned, and leads to the new one.
    expect(await check({ pin: old.publicKey.toString("hex") })).toMatchObject({ refused: null });
  });

  it("hardware evidence, and a field that this version does not know", async () => {
    const before = await remembered();
    const later = { ...firstFacts, hardware_evidence: { kind: "tdx" }, region: "moon" };
    replica.facts = later as unknown as Facts;
    await replica.statements.look();
    expect((await check({ remembered: before })).changes).toEqual([
      'The hardware evidence changed from none to {"kind":"tdx"}.',
      "'region' changed from none to moon.",
    ]);
  });
});

describe("it is refused, with its cause:", () => {
  const document = (change: (body: StatementDocument) => unknown) =>
    tampered(proofPaths.statement, (body) => change(body as StatementDocument));

  it("a rewritten history", async () => {
    await become({ version: "1.0.1" });
    const before = await remembered();
    // Another log of the same length and key, as whoever has the database can write it.
    const rewritten = await rewrittenService({ version: "6.6.6" }, { version: "1.0.1" });
    const same = await check({ remembered: before }, rewritten.replica);
    expect(same.refused?.cause).toBe("history_rewritten");
    await rewritten.become({ version: "1.0.2" });
    const longer = await check({ remembered: before }, rewritten.replica);
    expect(longer.refused?.cause).toBe("history_rewritten");
    await rewritten.service.close();
  });

  it("a shorter history", async () => {
    const short = await rewrittenService();
    await become({ version: "1.0.1" });
    const before = await remembered();
    const result = await check({ remembered: before }, short.replica);
    expect(result.refused).toMatchObject({
      cause: "history_lost",
      text: "The log has 1 entries, and had 2 at the last check: entries were lost or withheld.",
    });
    await short.service.close();
  });

  it("entries that do not lead to the checkpoint", async () => {
    const fetch = tampered(proofPaths.log, (body) => {
      const page = body as { entries: Signed<Statement>[] };
      const [first] = page.entries;
      return { ...page, entries: [first, first] };
    });
    await become({ version: "1.0.1" });
    expect((await check({ fetch })).refused?.cause).toBe("log_mismatch");
  });

  it("a statement that was changed, and one that is not in the log", async () => {
    const changed = document((body) => {
      const { entry, signatures } = body.statement;
      return { ...body, statement: { entry: { ...entry, version: "6.6.6" }, signatures } };
    });
    expect((await check({ fetch: changed })).refused?.cause).toBe("not_in_log");
    const other = document((body) => ({ ...body, inclusion: ["0".repeat(64)] }));
    expect((await check({ fetch: other })).refused?.cause).toBe("not_in_log");
  });

  it("a checkpoint that another key signed", async () => {
    const stranger = new Signer(randomBytes(32));
    const fetch = document((body) => ({ ...body, checkpoint: signed(body.checkpoint.entry, stranger) }));
    expect((await check({ fetch })).refused?.cause).toBe("signature");
  });

  it("an expired statement, and one of the future", async () => {
    const late = new Date(service.clock.now().getTime() + 49 * 3_600_000);
    expect((await check({ now: late })).refused?.cause).toBe("expired");
    const early = new Date(service.clock.now().getTime() - 3_600_000);
    expect((await check({ now: early })).refused?.cause).toBe("not_yet_valid");
  });

  it("another key than the pinned one", async () => {
    expect((await check({ pin: other })).refused?.cause).toBe("unknown_key");
  });

  it("a key that changed without the old one's signature", async () => {
    const before = await remembered();
    await service.sealed.delete("proof_signing_key");
    const next = await service.replica();
    const result = await check({ remembered: before }, next);
    expect(result.refused?.cause).toBe("key_changed");
    // Whoever comes later is told, and relies on the new key.
    const newcomer = await check({}, next);
    expect(newcomer.refused).toBeNull();
    expect(newcomer.warnings.join()).toContain("without the old key's signature");
  });

  it("a swapped key for encrypted bodies, a hidden one and an added one", async () => {
    replica.hpkeKey = "7".repeat(64);
    await replica.statements.look();
    expect((await check()).refused).toBeNull();
    for (const [stated, served] of [
      ["7".repeat(64), other],
      ["7".repeat(64), null],
      [null, other],
    ] as const) {
      replica.hpkeKey = stated;
      replica.servedKey = served;
      expect((await check()).refused?.cause).toBe("encryption_key");
    }
  });

  it("and what cannot be checked is not refused", async () => {
    const cannot = (fetch: VerifyOptions["fetch"]) =>
      expect(check(fetch === undefined ? {} : { fetch })).rejects;
    await cannot(async () => Response.json({ hello: "world" })).toThrow(CannotVerify);
    await cannot(async () => new Response("", { status: 404 })).toThrow(/has no \/.well-known\/sotto.json/);
    await cannot(async () => new Response("x".repeat(5_000_000))).toThrow(/more than 4194304 bytes/);
    await cannot(() => Promise.reject(new TypeError("fetch failed"))).toThrow(/could not be reached/);
    await expect(verifyService("http://")).rejects.toThrow(/not an address/);
  });
});

/** A service with the same signing key and a history of its own. */
async function rewrittenService(...history: Partial<Facts>[]) {
  const other = await ProofService.open();
  const seed = await service.sealed.get("proof_signing_key");
  await other.sealed.init("proof_signing_key", seed ?? randomBytes(32));
  const [first = {}, ...rest] = history;
  const replica = await other.replica({ ...firstFacts, ...first });
  const become = async (facts: Partial<Facts>) => {
    replica.facts = { ...replica.facts, ...facts };
    await replica.statements.look();
  };
  for (const facts of rest) await become(facts);
  return { service: other, replica, become };
}
