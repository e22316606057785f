/** The ways in which a user's text reaches the service by the Messages API. */
import { expect } from "vitest";
import { childrenOf } from "../support/processes/children.js";
import { eventually } from "../support/eventually.js";
import type { Installation } from "./installation.js";
import { isIdle, rest, type Way } from "./ways.js";

const paths = { create: "/messages", count: "/messages/count_tokens" };

interface Sent {
  path?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const post = (
  { sotto, key }: Installation,
  body: unknown,
  { path = paths.create, headers, signal }: Sent = {},
) =>
  fetch(`${sotto.baseURL}${path}`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

/** Names of tools are ASCII. */
const nameOf = (canary: string): string => canary.replace(/[^\w-]/gu, "");

const schemaOf = (canary: string) => ({
  title: canary,
  type: "object",
  properties: { mark: { const: canary, description: canary } },
  required: ["mark"],
  additionalProperties: false,
});

/** With it in every kind of block. */
const ask = (canary: string, more: object = {}) => ({
  model: "omega",
  max_tokens: 16,
  system: [{ type: "text", text: canary, cache_control: { type: "ephemeral" } }],
  messages: [
    { role: "user", content: `user ${canary}` },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: canary, signature: canary },
        { type: "text", text: canary },
        { type: "tool_use", id: canary, name: nameOf(canary), input: { [canary]: canary } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: canary,
          content: [{ type: "text", text: canary }],
          is_error: true,
        },
        { type: "text", text: canary },
      ],
    },
    { role: "system", content: canary },
  ],
  metadata: { user_id: canary },
  [canary]: canary,
  ...more,
});

const tools = (canary: string) => ({
  tools: [{ name: nameOf(canary), description: canary, strict: true, input_schema: schemaOf(canary) }],
});

async function refusedWith(response: Response, status: number): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  expect(JSON.parse(text)).toMatchObject({ type: "error", error: {} });
  return text;
}

export const answeredMessages: Record<string, Way> = {
  "a message": async (installation, canary) => {
    const response = await post(installation, ask(canary));
    expect(await response.json()).toMatchObject({ type: "message" });
    return "";
  },
  "a streamed message": async (installation, canary) => {
    const response = await post(installation, ask(canary, { stream: true, stop_sequences: [canary] }));
    expect(await response.text()).toContain("event: message_stop");
    return "";
  },
  "a message that says it": async (installation, canary) => {
    const output_config = { format: { type: "json_schema", schema: schemaOf(canary) } };
    const response = await post(installation, ask(canary, { max_tokens: 400, output_config }));
    const { content } = (await response.json()) as { content: { text: string }[] };
    expect(JSON.parse(content[0]?.text ?? "")).toEqual({ mark: canary });
    return "";
  },
  "a streamed message that calls a tool with it": async (installation, canary) => {
    const fields = { ...tools(canary), tool_choice: { type: "any" }, max_tokens: 800, stream: true };
    const text = await (await post(installation, ask(canary, fields))).text();
    expect(text).toContain('"type":"tool_use"');
    expect(text).toContain("event: message_stop");
    return "";
  },
  "a count of its tokens": async (installation, canary) => {
    const response = await post(installation, ask(canary, tools(canary)), { path: paths.count });
    expect(response.status).toBe(200);
    return response.text();
  },
  "a count of its tokens in a body large enough for the thread that parses": async (installation, canary) => {
    const body = ask(canary, { metadata: { user_id: canary.repeat(3_000) } });
    const response = await post(installation, body, {
      path: `${paths.count}?beta=${encodeURIComponent(canary)}`,
    });
    expect(response.status).toBe(200);
    return response.text();
  },
};

const refusals: Record<string, (canary: string) => { body: unknown; status: number }> = {
  "malformed JSON": (canary) => ({ body: `{"model": "omega", "messages": [${canary}`, status: 400 }),
  "a wrong role": (canary) => ({
    body: ask(canary, { messages: [{ role: canary, content: canary }] }),
    status: 400,
  }),
  "an image": (canary) => ({
    body: ask(canary, {
      messages: [{ role: "user", content: [{ type: "image", source: { data: canary } }] }],
    }),
    status: 400,
  }),
  "a block of an unknown type": (canary) => ({
    body: ask(canary, { messages: [{ role: "user", content: [{ type: canary, text: canary }] }] }),
    status: 400,
  }),
  "a result of no call": (canary) => ({
    body: ask(canary, {
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: canary, content: canary }] }],
    }),
    status: 400,
  }),
  "a tool of another kind": (canary) => ({
    body: ask(canary, { tools: [{ type: canary, name: canary }] }),
    status: 400,
  }),
  "a choice of a tool that is not there": (canary) => ({
    body: ask(canary, { tool_choice: { type: "tool", name: canary } }),
    status: 400,
  }),
  "a schema that cannot be followed": (canary) => ({
    body: ask(canary, {
      output_config: {
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            properties: { [canary]: { $ref: `#/$defs/${canary}` } },
            required: [canary],
          },
        },
      },
    }),
    status: 400,
  }),
  "an unknown model": (canary) => ({ body: ask(canary, { model: canary }), status: 404 }),
  "a prompt that is too long": (canary) => ({
    body: ask(canary, { messages: [{ role: "user", content: canary.repeat(2_000) }] }),
    status: 400,
  }),
};

const refusedAt = (path: string, what: string): [string, Way][] =>
  Object.entries(refusals).map(([name, make]) => [
    `${name} in ${what}`,
    async (installation, canary) => {
      const { body, status } = make(canary);
      return refusedWith(await post(installation, body, { path }), status);
    },
  ]);

export const refusedMessages: Record<string, Way> = {
  ...Object.fromEntries(refusedAt(paths.create, "a message")),
  ...Object.fromEntries(refusedAt(paths.count, "a count")),
  "a wrong key for a message": async (installation, canary) =>
    refusedWith(
      await post(installation, ask(canary), { headers: { "x-api-key": encodeURIComponent(canary) } }),
      401,
    ),
  "an unknown path below messages": async (installation, canary) =>
    refusedWith(
      await post(installation, ask(canary), { path: `/messages/${encodeURIComponent(canary)}` }),
      404,
    ),
};

const long = { stream: true, max_tokens: 30_000 };

export const interruptedMessages: Record<string, Way> = {
  "a hang-up in the middle of a message": async (installation, canary) => {
    const hangUp = new AbortController();
    const response = await post(installation, ask(canary, long), { signal: hangUp.signal });
    await response.body?.getReader().read();
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
  "an engine that is killed in the middle of a message": async (installation, canary) => {
    const engines = childrenOf(installation.sotto.pid);
    const response = await post(installation, ask(canary, long));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    const text = await rest(response);
    expect(text).toContain("event: error");
    await eventually(async () => (await post(installation, ask("filler"))).status === 200);
    return text;
  },
};
