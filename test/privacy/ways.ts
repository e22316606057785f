/**
 * The ways in which a user's text reaches the service. Each sends the canary one way and resolves with what came
 * back where that must not contain it: errors. Replies may.
 */
import { connect } from "node:net";
import { expect } from "vitest";
import { postEncrypted } from "../support/clients/encrypting-client.js";
import { childrenOf } from "../support/processes/children.js";
import { eventually } from "../support/eventually.js";
import type { Installation } from "./installation.js";

export type Way = (installation: Installation, canary: string) => Promise<string>;

export const ask = (canary: string, more: object = {}) => ({
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

export async function failed(response: Response, status: number, code?: string): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  if (code !== undefined) expect(text).toContain(`"code":"${code}"`);
  return text;
}

const inSchema = (canary: string, schema: object, more: object = {}) =>
  ask(canary, {
    max_tokens: 400,
    response_format: { type: "json_schema", json_schema: { name: "mark", strict: true, schema } },
    ...more,
  });

/** Makes the model itself say the canary. */
const marked = (canary: string, more: object = {}) =>
  inSchema(
    canary,
    {
      type: "object",
      properties: { mark: { const: canary } },
      required: ["mark"],
      additionalProperties: false,
    },
    more,
  );

export const longStream = { stream: true, max_tokens: 30_000 };

/** What is read of a stream until it ends or breaks. */
export async function rest(response: Response): Promise<string> {
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
  return text;
}

export const isIdle = ({ sotto }: Installation) =>
  eventually(async () => (await sotto.metric("sotto_sequences_active", "omega")) === 0);

/** Fills every place of the engine and the queue behind it while `work` runs. */
async function whileFull<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  const { sotto, chat } = installation;
  const hangUp = new AbortController();
  const fill = (more: object) => chat({ ...ask("filler"), ...longStream, ...more }, {}, hangUp.signal);
  try {
    // Kept: a response that was collected as garbage hangs up.
    const filler = await fill({ n: 4 });
    const waiting = fill({}).catch(() => undefined);
    await eventually(async () => (await sotto.metric("sotto_queue_waiting", "omega")) === 1);
    const result = await work();
    hangUp.abort();
    await filler.text().catch(() => undefined);
    await waiting;
    return result;
  } finally {
    hangUp.abort();
    await isIdle(installation);
  }
}

// ------------------------------------------------------------------------------------------------ answered

export const answered: Record<string, Way> = {
  "a reply": async ({ chat }, canary) => {
    const response = await chat(ask(canary));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return "";
  },
  "a stream": async ({ chat }, canary) => {
    const response = await chat(ask(canary, { stream: true, stop: [canary] }));
    expect(await response.text()).toContain("[DONE]");
    return "";
  },
  "an encrypted request, and a receipt": async ({ sotto, key }, canary) => {
    const to = {
      url: sotto.url,
      key,
      headers: { "sotto-receipt": "a nonce of one's own".replaceAll(" ", "-") },
    };
    const answer = await postEncrypted(to, ask(canary, { stream: true }));
    expect(answer.text).toContain(": sotto-receipt ");
    const refused = await postEncrypted(to, ask(canary, { temperature: 9 }));
    expect(refused.status).toBe(400);
    return refused.text;
  },
  "a reply that says it": async ({ chat }, canary) => {
    const reply = (await (await chat(marked(canary))).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(JSON.parse(reply.choices[0]?.message.content ?? "")).toEqual({ mark: canary });
    return "";
  },
  "a stream that says it, with log probabilities": async ({ chat }, canary) => {
    const text = await (await chat(marked(canary, { stream: true, logprobs: true, top_logprobs: 2 }))).text();
    const said = [...text.matchAll(/^data: (\{.*)$/gm)]
      .map(([, json = ""]) => JSON.parse(json) as { choices: { delta: { content?: string } }[] })
      .map(({ choices }) => choices[0]?.delta.content ?? "");
    expect(JSON.parse(said.join(""))).toEqual({ mark: canary });
    return "";
  },
  "a schema with it in every place": async ({ chat }, canary) => {
    const schema = {
      title: canary,
      description: canary,
      type: "object",
      properties: { [canary]: { enum: [canary], description: canary } },
      required: [canary],
      additionalProperties: false,
    };
    expect((await chat(inSchema(canary, schema))).status).toBe(200);
    return "";
  },
  "fields without effect": async ({ chat }, canary) => {
    const extra = { user: canary, metadata: { a: canary }, prompt_cache_key: canary, [canary]: canary };
    expect((await chat(ask(canary, extra))).status).toBe(200);
    return "";
  },
  "a body large enough for the thread that parses": async ({ chat }, canary) => {
    expect((await chat(ask(canary, { user: canary.repeat(3_000) }))).status).toBe(200);
    return "";
  },
  "the playground": async ({ ada }, canary) => {
    const { status, text } = await ada.send("POST", "/api/playground", ask(canary, { stream: true }));
    expect(status).toBe(200);
    expect(text).toContain("[DONE]");
    return "";
  },
  "a password and a wrong one": async ({ ada }, canary) => {
    const email = `eve-${crypto.randomUUID()}@example.com`;
    await ada.post("/api/sign-out");
    await ada.post("/api/sign-up", { email, password: canary });
    const wrong = await ada.send("POST", "/api/sign-in", { email, password: `${canary}!` });
    expect(wrong.status).toBe(400);
    return wrong.text;
  },
};

// ------------------------------------------------------------------------------------------------- refused

export const refused: Record<string, Way> = {
  "malformed JSON": async ({ chat }, canary) =>
    failed(await chat(`{"model": "omega", "messages": [${canary}`), 400),
  "malformed JSON in a large body": async ({ chat }, canary) =>
    failed(await chat(`{"model": "omega", "messages": [${canary.repeat(3_000)}`), 400, "invalid_json"),
  "a body over the limit": async ({ chat }, canary) =>
    failed(await chat(ask(canary, { user: canary.repeat(100_000) })), 400, "request_too_large"),
  "a wrong content type": async ({ chat }, canary) =>
    failed(await chat(canary, { "content-type": "text/plain" }), 400),
  "a wrong role": async ({ chat }, canary) =>
    failed(await chat(ask(canary, { messages: [{ role: canary, content: canary }] })), 400),
  "a wrong type": async ({ chat }, canary) => failed(await chat(ask(canary, { temperature: canary })), 400),
  "a wrong part": async ({ chat }, canary) =>
    failed(
      await chat(ask(canary, { messages: [{ role: "user", content: [{ type: canary, text: canary }] }] })),
      400,
    ),
  "an unsupported parameter": async ({ chat }, canary) =>
    failed(
      await chat(ask(canary, { functions: [{ name: canary }], web_search_options: { a: canary } })),
      400,
      "unsupported_parameter",
    ),
  "a logit bias for it": async ({ chat }, canary) =>
    failed(await chat(ask(canary, { logit_bias: { [canary]: 1 } })), 400),
  "a schema that cannot be followed": async ({ chat }, canary) => {
    const schema = {
      type: "object",
      properties: { [canary]: { $ref: `#/$defs/${canary}` }, other: { type: canary } },
      required: [canary],
    };
    return failed(await chat(inSchema(canary, schema)), 400);
  },
  "a schema with a broken pattern": async ({ chat }, canary) => {
    const schema = { type: "object", properties: { [canary]: { type: "string", pattern: `(${canary}` } } };
    return failed(await chat(inSchema(canary, schema)), 400);
  },
  "a schema for a property named after it": async ({ chat }, canary) => {
    const schema = { type: "object", properties: { [canary]: { type: "string", not: { const: canary } } } };
    return failed(await chat(inSchema(canary, schema)), 400);
  },
  "an unknown model": async ({ chat }, canary) => failed(await chat(ask(canary, { model: canary })), 404),
  "a prompt that is too long": async ({ chat }, canary) =>
    failed(
      await chat(ask(canary, { messages: [{ role: "user", content: canary.repeat(2000) }] })),
      400,
      "context_length_exceeded",
    ),
  "a wrong key": async ({ chat }, canary) =>
    failed(await chat(ask(canary), { authorization: `Bearer ${encodeURIComponent(canary)}` }), 401),
  "an unknown path": async ({ sotto, key }, canary) =>
    failed(
      await fetch(`${sotto.baseURL}/${encodeURIComponent(canary)}?q=${encodeURIComponent(canary)}`, {
        headers: { authorization: `Bearer ${key}`, "x-custom": encodeURIComponent(canary), cookie: "a=b" },
      }),
      404,
    ),
  "a limit of requests": async ({ sotto, chat }, canary) => {
    const key = await sotto.newKey("--requests-per-minute", "1");
    await (await chat(ask("filler"), { authorization: `Bearer ${key}` })).arrayBuffer();
    return failed(await chat(ask(canary), { authorization: `Bearer ${key}` }), 429, "rate_limit_exceeded");
  },
  "a limit of tokens": async ({ sotto, chat }, canary) => {
    const key = await sotto.newKey("--tokens-per-minute", "700");
    const authorization = `Bearer ${key}`;
    const short = ask("filler", { max_tokens: 500 });
    expect((await chat(short, { authorization })).status).toBe(200);
    return failed(await chat(ask(canary), { authorization }), 429, "rate_limit_exceeded");
  },
  "a full queue": (installation, canary) =>
    whileFull(installation, async () => failed(await installation.chat(ask(canary)), 503, "overloaded")),
  maintenance: async ({ sotto, chat }, canary) => {
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const times = ["--from", at(-1), "--to", at(10), "--title", "New disks", "--json"];
    const { id } = JSON.parse(await sotto.run("maintenance", "schedule", ...times)) as { id: string };
    const isOpen = async () => (await chat(ask("filler"))).status === 503;
    await eventually(isOpen);
    const text = await failed(await chat(ask(canary)), 503, "maintenance");
    await sotto.run("maintenance", "end", id);
    await eventually(async () => !(await isOpen()));
    return text;
  },
  "the playground without a session": async ({ sotto }, canary) =>
    failed(
      await fetch(`${sotto.url}/api/playground`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: sotto.url,
          cookie: `sotto_session=${"x".repeat(43)}`,
        },
        body: JSON.stringify(ask(canary)),
      }),
      401,
    ),
  "malformed fields in the playground": async ({ ada }, canary) => {
    const { status, text } = await ada.send("POST", "/api/playground", ask(canary, { temperature: canary }));
    expect(status).toBe(400);
    return text;
  },
  "a broken request line": ({ sotto }, canary) =>
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
};

// --------------------------------------------------------------------------------------------- interrupted

export const interrupted: Record<string, Way> = {
  "a hang-up in the middle": async (installation, canary) => {
    const hangUp = new AbortController();
    const response = await installation.chat(ask(canary, longStream), {}, hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
  "a hang-up while it waits in the queue": async (installation, canary) => {
    const { sotto, chat } = installation;
    const hangUp = new AbortController();
    // Kept: a response that was collected as garbage hangs up.
    const filler = await chat({ ...ask("filler"), ...longStream, n: 4 }, {}, hangUp.signal);
    const waiting = chat(ask(canary), {}, hangUp.signal).catch(() => undefined);
    await eventually(async () => (await sotto.metric("sotto_queue_waiting", "omega")) === 1);
    hangUp.abort();
    await filler.text().catch(() => undefined);
    await waiting;
    await isIdle(installation);
    return "";
  },
  "an engine that is killed in the middle of a stream": async ({ sotto, chat }, canary) => {
    const engines = childrenOf(sotto.pid);
    const response = await chat(ask(canary, longStream));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    const text = await rest(response);
    expect(text).toContain("engine_unavailable");
    expect(text).not.toContain("[DONE]");
    return text;
  },
  "an engine that is killed while it says it": async ({ sotto, chat }, canary) => {
    const schema = {
      type: "object",
      properties: { marks: { type: "array", items: { const: canary }, minItems: 500 } },
      required: ["marks"],
      additionalProperties: false,
    };
    await eventually(async () => (await chat(ask("filler"))).status === 200);
    const engines = childrenOf(sotto.pid);
    const response = await chat(inSchema(canary, schema, longStream));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    expect(await rest(response)).toContain("engine_unavailable");
    return "";
  },
};
