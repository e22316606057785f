/** `sotto privacy check` on a live installation: clean as it is, and with a leak planted in each place it searches. */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { newDataDir, startSotto, type SottoProcess } from "../support/processes/sotto-process.js";
import { servedBy } from "../support/processes/tiny-sotto.js";
import { noRedis } from "../support/stores/redis.js";
import { ownStores, sharedStores, type Stores } from "./installation.js";

interface Report {
  verdict: string;
  signed: boolean;
  requests_sent: number;
  requests_unexpected: number;
  places: { kind: string; verdict: string }[];
  details: { kind: string; name: string; verdict: string; detail: string }[];
}

/** With the weights that all models are served from. */
async function start(stores: Stores, program?: readonly string[]): Promise<SottoProcess> {
  const weights = join(newDataDir(), "tiny.gguf");
  writeTinyGguf(weights, { contextTokens: 4_096 });
  return startSotto({
    env: {
      ...stores.env,
      ...servedBy(weights),
      SOTTO_ENGINE_CONTEXT_TOKENS: "4096",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
    },
    ...(program === undefined ? {} : { program }),
  });
}

/** Reads what passes through it, and calls `leak` with each mark: once. */
async function leakyProxy(target: string, leak: (mark: string) => void | Promise<void>) {
  const seen = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(target);
    const { url, method, headers } = incoming;
    const onward = forward({ host: hostname, port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.on("data", (piece: Buffer) => {
      for (const [mark] of piece.toString("latin1").matchAll(/canary[0-9a-f]{32}/g)) {
        if (seen.has(mark)) continue;
        seen.add(mark);
        void leak(mark);
      }
    });
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    marks: seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function check(
  sotto: SottoProcess,
  { env }: Stores,
  ...args: string[]
): Promise<{ code: number | null; report: Report; text: string }> {
  const child = spawn(process.execPath, ["dist/main.js", "privacy", "check", "--json", ...args], {
    env: { PATH: process.env.PATH, TMPDIR: sotto.tempDir, SOTTO_DATA_DIR: sotto.dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [text, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (errors += part));
  const [code] = (await once(child, "close")) as [number | null];
  if (text === "") throw new Error(errors);
  return { code, report: JSON.parse(text) as Report, text };
}

const kindsOf = ({ places }: Report, verdict: string) =>
  places.flatMap((place) => (place.verdict === verdict ? [place.kind] : [])).sort();

/** Memory is measured in `bench -- memory`: how soon it is clean is a timing. */
const onDisk = (report: Report) => kindsOf(report, "found").filter((kind) => !kind.endsWith("memory"));

describe.each([
  ["SQLite", ownStores],
  ["Postgres and Redis", sharedStores],
] as const)("a privacy check with %s", (name, open) => {
  let stores: Awaited<ReturnType<typeof open>>;
  let sotto: SottoProcess;
  beforeAll(async () => {
    stores = await open();
    sotto = await start(stores);
  });
  afterAll(async () => {
    await sotto.stop();
    await stores.close();
  });

  it("finds nothing where nothing leaks, and leaves nothing", async () => {
    const log = join(mkdtempSync(join(tmpdir(), "sotto-log-")), "access.log");
    writeFileSync(log, sotto.output());
    const { report, text } = await check(sotto, stores, "--url", sotto.url, "--wait", "0", "--also", log);
    expect(onDisk(report)).toEqual([]);
    expect(kindsOf(report, "clean")).toEqual(
      expect.arrayContaining(["core_dumps", "data_directory", "database", "temporary_files"]),
    );
    expect(report).toMatchObject({ signed: true, requests_unexpected: 0 });
    expect(report.requests_sent).toBeGreaterThan(15);
    expect(text).not.toMatch(/canary[0-9a-f]{32}/);
    expect(await sotto.run("accounts", "list", "--json")).not.toContain("privacy-check@");
    const status = (await (await fetch(`${sotto.url}/api/status`)).json()) as { privacyCheck: unknown };
    expect(status.privacyCheck).toMatchObject({ isOld: false, isSigned: true, places: report.places });
    expect(await sotto.metric("sotto_privacy_check_timestamp_seconds")).toBeGreaterThan(1e9);
  });

  it("finds a leak planted in each place", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sotto-log-"));
    const leaks: ((mark: string) => void | Promise<void>)[] = [
      (mark) => appendFileSync(join(sotto.dataDir, "debug.txt"), `${mark}\n`),
      (mark) => appendFileSync(join(sotto.tempDir, "upload.tmp"), Buffer.from(mark, "utf16le")),
      (mark) => appendFileSync(join(folder, "access.log"), `POST /v1 ${mark}\n`),
      (mark) => appendFileSync(join(folder, "access.log.1.gz"), gzipSync(mark)),
      (mark) => plantRow(mark),
      (mark) => plantKey(mark),
    ];
    const plantRow = async (mark: string) => {
      if ("postgres" in stores) {
        const database = new URL(stores.env["SOTTO_DATABASE_URL"] ?? "").pathname.slice(1);
        const hex = Buffer.from(mark).toString("hex");
        await stores.postgres.query(
          `create table if not exists leak (x bytea); insert into leak values ('\\x${hex}')`,
          database,
        );
      } else {
        const database = new Database(join(sotto.dataDir, "sotto.db"), { timeout: 5_000 });
        database.exec("create table if not exists leak (x)");
        database.prepare("insert into leak values (?)").run(mark);
        database.close();
      }
    };
    const plantKey = async (mark: string) => {
      if ("redis" in stores) await stores.redis?.command((redis) => redis.rpush("leak", `x ${mark}`));
    };
    const planted: Promise<void>[] = [];
    const proxy = await leakyProxy(sotto.url, (mark) => {
      for (const leak of leaks) planted.push(Promise.resolve(leak(mark)));
    });
    try {
      const { code, report } = await check(
        ...([sotto, stores, "--url", proxy.url, "--wait", "1", "--also", folder] as const),
      );
      await Promise.all(planted);
      expect(proxy.marks.size).toBe(report.requests_sent);
      const redis = name === "SQLite" || noRedis ? [] : ["redis"];
      expect(onDisk(report)).toEqual(
        ["data_directory", "database", "other_paths", ...redis, "temporary_files"].sort(),
      );
      expect(code).toBe(1);
      const logs = report.details.find(({ name }) => name === folder)?.detail ?? "";
      expect(logs).toContain("access.log");
      expect(logs).toContain("access.log.1.gz");
    } finally {
      proxy.close();
    }
  });
});

it("finds a leak planted in the memory of the server", async () => {
  const stores = await ownStores();
  const folder = mkdtempSync(join(tmpdir(), "sotto-leaky-"));
  const leaky = join(folder, "leaky.mjs");
  writeFileSync(
    leaky,
    "const { parse } = JSON; const kept = []; JSON.parse = (text, ...more) => { kept.push(text); return parse(text, ...more); };",
  );
  const sotto = await start(stores, ["--import", leaky, "dist/main.js", "serve"]);
  try {
    const { code, report } = await check(sotto, stores, "--url", sotto.url, "--wait", "1");
    expect(code).toBe(1);
    expect(kindsOf(report, "found")).toContain("server_memory");
    const { detail = "" } = report.details.find(({ kind }) => kind === "server_memory") ?? {};
    expect(detail).toContain("a reply");
  } finally {
    await sotto.stop();
  }
});

it("deletes its key when it is stopped, and ends with 2 where there is no server", async () => {
  const stores = await ownStores();
  const sotto = await start(stores);
  const env = { PATH: process.env.PATH, TMPDIR: sotto.tempDir, SOTTO_DATA_DIR: sotto.dataDir };
  const run = (...args: string[]) =>
    spawn(process.execPath, ["dist/main.js", "privacy", "check", ...args], { env, stdio: "ignore" });
  try {
    const arrivals = new EventEmitter();
    const first = once(arrivals, "mark");
    const proxy = await leakyProxy(sotto.url, () => void arrivals.emit("mark"));
    const stopped = run("--url", proxy.url, "--wait", "600");
    await first;
    stopped.kill("SIGINT");
    expect(await once(stopped, "close")).toEqual([2, null]);
    proxy.close();
    expect(await sotto.run("accounts", "list", "--json")).not.toContain("privacy-check@");
    expect(await once(run("--url", "http://127.0.0.1:1"), "close")).toEqual([2, null]);
  } finally {
    await sotto.stop();
  }
});

it("encrypts its requests where plain ones are refused", async () => {
  const own = await ownStores();
  const stores = { ...own, env: { ...own.env, SOTTO_REQUIRE_ENCRYPTION: "all" } };
  const sotto = await start(stores);
  try {
    const { report } = await check(sotto, stores, "--url", sotto.url, "--wait", "0");
    expect(report).toMatchObject({ requests_unexpected: 0 });
    expect(onDisk(report)).toEqual([]);
  } finally {
    await sotto.stop();
  }
});
