/**
 * How long text can be found in memory after its reply has ended: marked requests of several classes, then a search of
 * the memory of the server and of the engine after 1, 10, 60 and 180 seconds without traffic, and after some more
 * traffic. What is printed is how often a mark stands there, in any form. `MEMORY_PROGRAM` names another build to
 * measure, `MEMORY_SECONDS` other times, such as `1,10`; `GLIBC_TUNABLES` is passed on to the server.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { searchMemory } from "../src/adapters/search/process-memory.js";
import { MarkSearch, newMark } from "../src/core/proof/marks.js";
import { writeTinyGguf } from "../test/support/engines/tiny-gguf.js";
import { childrenOf } from "../test/support/processes/children.js";
import { newDataDir, startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import { servedBy } from "../test/support/processes/tiny-sotto.js";

const seconds = (process.env.MEMORY_SECONDS ?? "1,10,60,180").split(",").map(Number);
const program = process.env.MEMORY_PROGRAM ?? "dist/main.js";
const tunables = process.env.GLIBC_TUNABLES;
const contextTokens = 16_384;
const othersCount = 50;

type Send = (mark: string, chat: Chat) => Promise<void>;
type Chat = (body: object | string, signal?: AbortSignal) => Promise<Response>;

const schema = (mark: string) => ({
  type: "object",
  properties: { mark: { const: mark } },
  required: ["mark"],
  additionalProperties: false,
});

const says = (mark: string, more: object = {}) => ({
  model: "omega",
  max_tokens: 400,
  messages: [{ role: "user", content: "Say it." }],
  response_format: { type: "json_schema", json_schema: { name: "mark", strict: true, schema: schema(mark) } },
  ...more,
});

const asks = (mark: string, more: object = {}) => ({
  model: "omega",
  max_tokens: 16,
  messages: [{ role: "user", content: `Tell me about ${mark}.` }],
  ...more,
});

async function read(response: Promise<Response>): Promise<void> {
  await (await response).arrayBuffer();
}

const ways: Record<string, Send> = {
  "prompt, whole reply": (mark, chat) => read(chat(asks(mark))),
  "prompt, stream": (mark, chat) => read(chat(asks(mark, { stream: true }))),
  "prompt of 200 kB": (mark, chat) => read(chat(asks(mark, { user: mark.repeat(3_500) }))),
  "reply, whole": (mark, chat) => read(chat(says(mark))),
  "reply, stream": (mark, chat) => read(chat(says(mark, { stream: true }))),
  "refused, wrong value": (mark, chat) => read(chat(asks(mark, { temperature: mark }))),
  "refused, invalid JSON": (mark, chat) => read(chat(`{"messages": [{"content": "${mark}`)),
  "refused, 3.6 MB prompt": (mark, chat) =>
    read(chat(asks(mark, { messages: [{ role: "user", content: mark.repeat(65_000) }] }))),
  "hang-up in a stream": async (mark, chat) => {
    const hangUp = new AbortController();
    const response = await chat(asks(mark, { stream: true, max_tokens: 4_000 }), hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
  },
};

export async function benchMemory(): Promise<void> {
  const weights = `${newDataDir()}/tiny.gguf`;
  writeTinyGguf(weights, { contextTokens });
  const sotto = await startSotto({
    program: [program, "serve"],
    env: {
      ...servedBy(weights),
      ...(tunables === undefined ? {} : { GLIBC_TUNABLES: tunables }),
      SOTTO_ENGINE_CONTEXT_TOKENS: String(contextTokens),
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000",
    },
  });
  try {
    const key = await sotto.newKey();
    const chat: Chat = (body, signal) =>
      fetch(`${sotto.baseURL}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    await traffic(chat);
    const marks = new Map<string, string>();
    for (const [name, send] of Object.entries(ways)) {
      const mark = newMark();
      marks.set(mark, name);
      await send(mark, chat);
    }
    const endedMs = performance.now();
    const columns: [string, Map<string, number>[]][] = [];
    for (const after of seconds) {
      await sleep(Math.max(0, endedMs + after * 1_000 - performance.now()));
      columns.push([`${after} s`, await counts(sotto, marks)]);
    }
    await traffic(chat);
    columns.push([`+ ${othersCount} requests`, await counts(sotto, marks)]);
    print(marks, columns);
  } finally {
    await sotto.stop();
  }
}

async function traffic(chat: Chat): Promise<void> {
  for (let turn = 0; turn < othersCount; turn++)
    await read(chat(asks("something else", { stream: turn % 2 === 0 })));
}

/** In the server and in its engine. */
async function counts(
  sotto: SottoProcess,
  marks: ReadonlyMap<string, string>,
): Promise<Map<string, number>[]> {
  const { signal } = new AbortController();
  const found: Map<string, number>[] = [];
  for (const pid of [sotto.pid, ...childrenOf(sotto.pid)]) {
    const byMark = new Map<string, number>();
    const { hits } = await searchMemory(pid, new MarkSearch([...marks.keys()]), signal);
    for (const { mark } of hits) byMark.set(mark, (byMark.get(mark) ?? 0) + 1);
    found.push(byMark);
  }
  return found;
}

function print(
  marks: ReadonlyMap<string, string>,
  columns: readonly [string, Map<string, number>[]][],
): void {
  const width = 14;
  for (const [place, name] of ["server", "engine"].entries()) {
    console.log(`\n${name.padEnd(26)}${columns.map(([title]) => title.padStart(width)).join("")}`);
    for (const [mark, way] of marks) {
      const cells = columns.map(([, found]) => String(found[place]?.get(mark) ?? 0).padStart(width));
      console.log(way.padEnd(26) + cells.join(""));
    }
  }
}
