/**
 * The ways in which a user's text reaches the service by `/v1/responses`, with `store: true` wherever it may be said. A
 * reply repeats some of what was asked for; only errors must not.
 */
import { expect } from "vitest";
import { eventually } from "../support/eventually.js";
import { childrenOf } from "../support/processes/children.js";
import type { Installation } from "./installation.js";
import { failed, isIdle, rest, type Way } from "./ways.js";

/** Names of functions are ASCII. */
const nameOf = (canary: string): string => canary.replace(/[^\w-]/gu, "");

const markSchema = (canary: string) => ({
  type: "object",
  properties: { mark: { const: canary, description: canary } },
  required: ["mark"],
  additionalProperties: false,
});

const markedTool = (canary: string) => ({
  type: "function",
  name: nameOf(canary),
  description: canary,
  parameters: markSchema(canary),
  strict: true,
});

/** The canary in every place that has room for it. */
const ask = (canary: string, more: object = {}) => ({
  model: "omega",
  instructions: canary,
  input: [
    { role: "developer", content: canary },
    { type: "message", id: canary, role: "user", content: [{ type: "input_text", text: canary }] },
    {
      type: "reasoning",
      id: `rs_${canary}`,
      summary: [{ type: "summary_text", text: canary }],
      content: [{ type: "reasoning_text", text: canary }],
      encrypted_content: canary,
    },
    { role: "assistant", content: [{ type: "output_text", text: canary, annotations: [] }] },
    {
      type: "function_call",
      call_id: canary,
      name: nameOf(canary),
      arguments: JSON.stringify({ mark: canary }),
    },
    { type: "function_call_output", call_id: canary, output: [{ type: "input_text", text: canary }] },
    { role: "user", content: canary },
  ],
  max_output_tokens: 16,
  store: true,
  metadata: { [canary]: canary },
  user: canary,
  prompt_cache_key: canary,
  safety_identifier: canary,
  client_metadata: { a: canary },
  [canary]: canary,
  ...more,
});

const saying = (canary: string, more: object = {}) =>
  ask(canary, {
    max_output_tokens: 400,
    text: { format: { type: "json_schema", name: "mark", strict: true, schema: markSchema(canary) } },
    ...more,
  });

const post = ({ sotto, key }: Installation, body: object, signal?: AbortSignal) =>
  fetch(`${sotto.baseURL}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

interface Reply {
  store: boolean;
  output: { id: string; type: string; name?: string; arguments?: string; content?: { text: string }[] }[];
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  return JSON.parse(text) as Reply;
}

/** The response in the last event of a stream. */
function lastOf(text: string): { type: string; response: Reply & { error: unknown } } {
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => json);
  return JSON.parse(events.at(-1) ?? "") as ReturnType<typeof lastOf>;
}

// ------------------------------------------------------------------------------------------------ answered

export const responses: Record<string, Way> = {
  "a response": async (installation, canary) => {
    const { store } = await replyOf(await post(installation, ask(canary)));
    expect(store).toBe(false);
    return "";
  },
  "a streamed response": async (installation, canary) => {
    const text = await rest(await post(installation, ask(canary, { stream: true })));
    expect(lastOf(text)).toMatchObject({ response: { store: false } });
    return "";
  },
  "a response that says it": async (installation, canary) => {
    const { output } = await replyOf(await post(installation, saying(canary)));
    expect(JSON.parse(output[0]?.content?.[0]?.text ?? "")).toEqual({ mark: canary });
    return "";
  },
  "a streamed response that says it, with log probabilities": async (installation, canary) => {
    const include = ["message.output_text.logprobs"];
    const text = await rest(
      await post(installation, saying(canary, { stream: true, include, top_logprobs: 2 })),
    );
    expect(JSON.parse(lastOf(text).response.output[0]?.content?.[0]?.text ?? "")).toEqual({ mark: canary });
    return "";
  },
  "a response that thinks": async (installation, canary) => {
    await replyOf(await post(installation, ask(canary, { model: "lambda", max_output_tokens: 64 })));
    return "";
  },
  "a response that calls it": async (installation, canary) => {
    const body = ask(canary, {
      tools: [{ type: "namespace", name: canary, description: canary, tools: [markedTool(canary)] }],
      tool_choice: "required",
      parallel_tool_calls: false,
      max_output_tokens: 400,
    });
    const { output } = await replyOf(await post(installation, body));
    expect(output).toMatchObject([{ type: "function_call", name: nameOf(canary), namespace: canary }]);
    return "";
  },
  "a response that refers to one that said it": async (installation, canary) => {
    const { output } = await replyOf(await post(installation, saying(canary)));
    expect(JSON.stringify(output)).toContain(canary);
    const references = output.map(({ id }) => ({ type: "item_reference", id }));
    const input = [{ role: "user", content: canary }, ...references, { role: "user", content: canary }];
    await replyOf(await post(installation, ask(canary, { input })));
    return "";
  },
};

// ------------------------------------------------------------------------------------------------- refused

const refusedWith =
  (fields: (canary: string) => object, status = 400): Way =>
  async (installation, canary) =>
    failed(await post(installation, ask(canary, fields(canary))), status);

export const refusedResponses: Record<string, Way> = {
  "a response with an unknown item": refusedWith((canary) => ({ input: [{ type: canary, text: canary }] })),
  "a response with an unknown part": refusedWith((canary) => ({
    input: [{ role: "user", content: [{ type: canary, text: canary }] }],
  })),
  "a response that refers to an item": refusedWith((canary) => ({
    input: [
      { role: "user", content: canary },
      { type: "item_reference", id: `msg_${canary}` },
    ],
  })),
  "a response with a tool of another kind": refusedWith((canary) => ({
    tools: [{ type: canary, name: canary, description: canary }],
  })),
  "a response with a result of no call": refusedWith((canary) => ({
    input: [{ type: "function_call_output", call_id: canary, output: canary }],
  })),
  "a response that goes on from another": refusedWith((canary) => ({ previous_response_id: canary })),
  "a response in a conversation": refusedWith((canary) => ({ conversation: { id: canary } })),
  "a response with a choice that is none": refusedWith((canary) => ({ tool_choice: { type: canary } })),
  "a response with a schema that cannot be followed": refusedWith((canary) => ({
    text: {
      format: {
        type: "json_schema",
        name: "mark",
        strict: true,
        schema: {
          type: "object",
          properties: { [canary]: { $ref: `#/$defs/${canary}` } },
          required: [canary],
        },
      },
    },
  })),
  "a response of an unknown model": refusedWith((canary) => ({ model: canary }), 404),
  "a response with input that is too long": refusedWith((canary) => ({ input: canary.repeat(2000) })),
};

// --------------------------------------------------------------------------------------------- interrupted

const long = { stream: true, max_output_tokens: 30_000 };

export const interruptedResponses: Record<string, Way> = {
  "a response whose client hung up": async (installation, canary) => {
    const hangUp = new AbortController();
    const response = await post(installation, ask(canary, long), hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
  "a response whose engine was killed": async (installation, canary) => {
    const { sotto } = installation;
    await eventually(async () => (await post(installation, { model: "omega", input: "x" })).status === 200);
    const engines = childrenOf(sotto.pid);
    const response = await post(installation, ask(canary, long));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    const last = lastOf(await rest(response));
    expect(last.type).toBe("response.failed");
    return JSON.stringify(last.response.error);
  },
};
