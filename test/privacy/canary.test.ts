import { connect } from "node:net";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf } from "../support/processes/children.js";
import { eventually } from "../support/eventually.js";
import { startSotto, type SottoProcess } from "../support/processes/sotto-process.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { findCanary, newCanary, type Finding } from "./search.js";

const weights = join(mkdtempSync(join(tmpdir(), "sotto-weights-")), "tiny.gguf");
const modelFiles = (path: string) => path.endsWith(".gguf");

let sotto: SottoProcess;
let key: string;

beforeAll(async () => {
  writeTinyGguf(weights);
  sotto = await startSotto({
    env: {
      SOTTO_LOG_LEVEL: "trace",
      SOTTO_MODELS_OMEGA_WEIGHTS: weights,
      SOTTO_MODELS_PRISM_WEIGHTS: weights,
      SOTTO_MODELS_LAMBDA_WEIGHTS: weights,
    },
  });
  key = await sotto.newKey();
});
afterAll(() => sotto.stop());

/** Everything the service has written anywhere. */
const search = (canary: string): Finding[] =>
  findCanary(canary, { output: sotto.output() }, [sotto.dataDir, sotto.tempDir], modelFiles);

function chat(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${sotto.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const ask = (canary: string, more: object = {}) => ({
  model: "omega",
  max_tokens: 16,
  messages: [
    { role: "system", content: `system ${canary}` },
    { role: "user", content: `user ${canary}`, name: canary },
    { role: "assistant", content: `assistant ${canary}` },
    { role: "user", content: canary },
  ],
  ...more,
});

/** Each sends the canary one way and resolves with what came back, to be searched as well where it is ours. */
const ways: Record<string, (canary: string) => Promise<string>> = {
  "a reply": async (canary) => {
    const response = await chat(ask(canary));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return "";
  },
  "a stream": async (canary) => {
    const response = await chat(ask(canary, { stream: true, stop: [canary] }));
    expect(await response.text()).toContain("[DONE]");
    return "";
  },
  "fields without effect": async (canary) => {
    const extra = { user: canary, metadata: { a: canary }, prompt_cache_key: canary, [canary]: canary };
    expect((await chat(ask(canary, extra))).status).toBe(200);
    return "";
  },
  "malformed JSON": async (canary) => failed(await chat(`{"model": "omega", "messages": [${canary}`), 400),
  "a wrong content type": async (canary) => failed(await chat(canary, { "content-type": "text/plain" }), 400),
  "a wrong role": async (canary) =>
    failed(await chat(ask(canary, { messages: [{ role: canary, content: canary }] })), 400),
  "a wrong type": async (canary) => failed(await chat(ask(canary, { temperature: canary })), 400),
  "a wrong part": async (canary) =>
    failed(
      await chat(ask(canary, { messages: [{ role: "user", content: [{ type: canary, text: canary }] }] })),
      400,
    ),
  "an unsupported parameter": async (canary) =>
    failed(await chat(ask(canary, { tools: [{ type: "function", function: { name: canary } }] })), 400),
  "an unknown model": async (canary) => failed(await chat(ask(canary, { model: canary })), 404),
  "a prompt that is too long": async (canary) =>
    failed(await chat(ask(canary, { messages: [{ role: "user", content: canary.repeat(2000) }] })), 400),
  "a wrong key": async (canary) =>
    failed(await chat(ask(canary), { authorization: `Bearer ${encodeURIComponent(canary)}` }), 401),
  "an unknown path": async (canary) =>
    failed(
      await fetch(`${sotto.baseURL}/${encodeURIComponent(canary)}?q=${encodeURIComponent(canary)}`, {
        headers: { authorization: `Bearer ${key}`, "x-custom": encodeURIComponent(canary), cookie: "a=b" },
      }),
      404,
    ),
  "a broken request line": (canary) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(sotto.url);
      const socket = connect(Number(port), hostname, () =>
        socket.end(`${canary} HTTP/9\r\n${canary}\r\n\r\n`),
      );
      let received = "";
      socket.setEncoding("utf8").on("data", (text: string) => (received += text));
      socket.on("close", () => {
        resolve(received);
      });
    }),
  "a hang-up in the middle": async (canary) => {
    const hangUp = new AbortController();
    const response = await chat(ask(canary, { stream: true, max_tokens: 400 }), {}, hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
    await eventually(async () => (await sotto.metric("sotto_sequences_active", "omega")) === 0);
    return "";
  },
};

async function failed(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  return response.text();
}

describe("what users send", () => {
  it.each(Object.entries(ways))("leaves no trace after %s", async (_, send) => {
    const canary = newCanary();
    const answer = await send(canary);
    expect(findCanary(canary, { answer }, [])).toEqual([]);
    expect(search(canary)).toEqual([]);
  });

  it("leaves no trace when the engine is killed in the middle", async () => {
    const canary = newCanary();
    const engines = childrenOf(sotto.pid);
    const response = await chat(ask(canary, { stream: true, max_tokens: 400 }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    for (const pid of engines) process.kill(pid, "SIGKILL");
    let rest = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      rest += part.value;
    expect(rest).toContain("engine_unavailable");
    expect(rest).not.toContain("[DONE]");
    expect(findCanary(canary, { rest }, [])).toEqual([]);
    expect(search(canary)).toEqual([]);
  });

  it("is not in the files after the server has stopped either", async () => {
    const canary = newCanary();
    await (await chat(ask(canary))).arrayBuffer();
    expect(await sotto.stop()).toBe(0);
    expect(search(canary)).toEqual([]);
    // The log did say something: an empty one would prove nothing.
    expect(sotto.output()).toContain('"msg":"request"');
  });
});

describe("the search itself", () => {
  const plant: Record<string, (canary: string, folder: string) => void> = {
    plain: (canary, folder) => {
      writeFileSync(join(folder, "leak.txt"), `before ${canary} after`);
    },
    "base64, at every offset": (canary, folder) => {
      for (const shift of ["", "x", "xx"]) {
        writeFileSync(join(folder, `leak${shift}.txt`), Buffer.from(`${shift}${canary}`).toString("base64"));
      }
    },
    hex: (canary, folder) => {
      writeFileSync(join(folder, "leak.txt"), Buffer.from(canary).toString("hex"));
    },
    "JSON with escapes": (canary, folder) => {
      const escaped = canary.replace(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      writeFileSync(join(folder, "leak.json"), `{"a":"${escaped}"}`);
    },
    "a database row that is only in the write-ahead log": (canary, folder) => {
      const database = new Database(join(folder, "leak.db"));
      database.pragma("journal_mode = WAL");
      database.exec("create table t (x)");
      database.prepare("insert into t values (?)").run(canary);
      expect(readdirSync(folder)).toContain("leak.db-wal");
    },
  };

  it.each(Object.entries(plant))("finds a leak planted as %s", (_, leak) => {
    const folder = mkdtempSync(join(tmpdir(), "sotto-leak-"));
    const canary = newCanary();
    leak(canary, folder);
    const found = findCanary(canary, {}, [folder]);
    expect(new Set(found.map(({ place }) => place)).size).toBeGreaterThan(0);
  });

  it("finds a leak planted in the log", () => {
    const canary = newCanary();
    expect(findCanary(canary, { output: `{"msg":"request","prompt":"${canary}"}` }, [])).not.toEqual([]);
  });
});
