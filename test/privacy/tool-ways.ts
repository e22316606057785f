/**
 * The ways in which a user's text reaches the service in tools: their names, descriptions and schemas, calls that the
 * model writes, and earlier calls, results and reasoning that are sent back. All of it is content.
 */
import { expect } from "vitest";
import { eventually } from "../support/eventually.js";
import { childrenOf } from "../support/processes/children.js";
import { ask, failed, isIdle, longStream, rest, type Way } from "./ways.js";

/** Names of functions are ASCII. */
const nameOf = (canary: string): string => canary.replace(/[^\w-]/gu, "");

/** A function whose only possible call says the canary, in its name and in its arguments. */
const markedTool = (canary: string) => ({
  type: "function",
  function: {
    name: nameOf(canary),
    description: canary,
    strict: true,
    parameters: {
      title: canary,
      type: "object",
      properties: { mark: { const: canary, description: canary } },
      required: ["mark"],
      additionalProperties: false,
    },
  },
});

/** A function with a schema that is not enforced in all of it, with the canary in every place. */
const looseTool = (canary: string) => ({
  type: "function",
  function: {
    name: `${nameOf(canary)}_loose`,
    description: canary,
    parameters: {
      type: "object",
      properties: {
        [canary]: { enum: [canary], default: canary, not: { const: canary }, examples: [canary] },
      },
      $comment: canary,
      [canary]: canary,
    },
  },
});

const withTools = (canary: string, more: object = {}) =>
  ask(canary, { tools: [markedTool(canary), looseTool(canary)], ...more });

/** Makes the model call. */
const calling = (canary: string, more: object = {}) =>
  ask(canary, {
    max_tokens: 600,
    tools: [markedTool(canary)],
    tool_choice: "required",
    parallel_tool_calls: false,
    ...more,
  });

/** A call that goes on until it is ended. */
const endlessCall = (canary: string) => {
  const { type, function: described } = markedTool(canary);
  const marks = { type: "array", items: { const: canary }, minItems: 500 };
  const parameters = { ...described.parameters, properties: { mark: marks } };
  return calling(canary, { ...longStream, tools: [{ type, function: { ...described, parameters } }] });
};

/** A conversation with an earlier call, its result, and what was thought before it. */
const history = (canary: string, changes: { call?: object; result?: object } = {}) => [
  { role: "user", content: canary },
  {
    role: "assistant",
    content: null,
    reasoning_content: canary,
    tool_calls: [
      {
        id: `call_${canary}`,
        type: "function",
        function: { name: nameOf(canary), arguments: JSON.stringify({ mark: canary }) },
        ...changes.call,
      },
    ],
  },
  { role: "tool", tool_call_id: `call_${canary}`, name: canary, content: canary, ...changes.result },
];

interface Called {
  name?: string;
  arguments?: string;
}

/** What a stream called, put together. */
function calledIn(text: string): Called {
  const deltas = [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(
      ([, json = ""]) =>
        JSON.parse(json) as { choices: { delta: { tool_calls?: { function: Called }[] } }[] },
    )
    .flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
  const join = (part: keyof Called) => deltas.map((delta) => delta.function[part] ?? "").join("");
  return { name: join("name"), arguments: join("arguments") };
}

function expectMarked(called: Called | undefined, canary: string): void {
  expect(called?.name).toBe(nameOf(canary));
  expect(JSON.parse(called?.arguments ?? "")).toEqual({ mark: canary });
}

async function isAnswered(response: Response): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  return text;
}

/** Reads a stream until a call has begun. */
async function readUntilCall(response: Response): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    text += part.value;
    if (text.includes('"tool_calls"')) return;
  }
  throw new Error("The stream ended without a call.");
}

// ------------------------------------------------------------------------------------------------ answered

/** In the format of ours, and in that of a chat template that knows tools. */
const models = { "our format": "omega", "the template's format": "prism" };

const callsOn = (model: string): Record<string, Way> => ({
  "tools that may be called": async ({ chat }, canary) => {
    await isAnswered(await chat(withTools(canary, { model, max_tokens: 64 })));
    return "";
  },
  "a stream with tools that may be called": async ({ chat }, canary) => {
    const text = await isAnswered(await chat(withTools(canary, { model, max_tokens: 64, stream: true })));
    expect(text).toContain("[DONE]");
    return "";
  },
  "a call that says it": async ({ chat }, canary) => {
    const reply = JSON.parse(await isAnswered(await chat(calling(canary, { model })))) as {
      choices: { finish_reason: string; message: { tool_calls?: { function: Called }[] } }[];
    };
    expect(reply.choices[0]?.finish_reason).toBe("tool_calls");
    expectMarked(reply.choices[0]?.message.tool_calls?.[0]?.function, canary);
    return "";
  },
  "a streamed call that says it": async ({ chat }, canary) => {
    const text = await isAnswered(await chat(calling(canary, { model, stream: true })));
    expectMarked(calledIn(text), canary);
    return "";
  },
  "a call of a named function": async ({ chat }, canary) => {
    const tool_choice = { type: "function", function: { name: nameOf(canary) } };
    const tools = [markedTool(canary), looseTool(canary)];
    const text = await isAnswered(await chat(calling(canary, { model, tools, tool_choice, stream: true })));
    expectMarked(calledIn(text), canary);
    return "";
  },
  "a call that is cut short": async ({ chat }, canary) => {
    const text = await isAnswered(await chat(calling(canary, { model, max_tokens: 40, stream: true })));
    expect(text).toContain('"finish_reason":"length"');
    return "";
  },
  "an earlier call, its result and its reasoning": async ({ chat }, canary) => {
    await isAnswered(await chat(withTools(canary, { model, messages: history(canary) })));
    return "";
  },
});

const callsOnEach = Object.entries(models).flatMap(([where, model]) =>
  Object.entries(callsOn(model)).map(([way, send]) => [`${way}, in ${where}`, send] as const),
);

export const calls: Record<string, Way> = {
  ...Object.fromEntries(callsOnEach),
  "an earlier call and reasoning that the template shows": async ({ chat }, canary) => {
    const body = withTools(canary, { model: "lambda", messages: history(canary), reasoning_effort: "none" });
    await isAnswered(await chat(body));
    return "";
  },
  "tools in a body large enough for the thread that parses": async ({ chat }, canary) => {
    await isAnswered(await chat(withTools(canary, { user: canary.repeat(3_000) })));
    return "";
  },
  "a call in the playground": async ({ ada }, canary) => {
    const { status, text } = await ada.send("POST", "/api/playground", calling(canary, { stream: true }));
    expect(status).toBe(200);
    expectMarked(calledIn(text), canary);
    return "";
  },
};

// ------------------------------------------------------------------------------------------------- refused

/** Refused for one function that differs from a good one. */
const refusedFor =
  (changes: (canary: string) => object): Way =>
  async ({ chat }, canary) => {
    const { type, function: described } = markedTool(canary);
    const tools = [looseTool(canary), { type, function: { ...described, ...changes(canary) } }];
    return failed(await chat(calling(canary, { tools })), 400);
  };

const refusedWith =
  (more: (canary: string) => object, code?: string): Way =>
  async ({ chat }, canary) =>
    failed(await chat(withTools(canary, more(canary))), 400, code);

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

export const refusedTools: Record<string, Way> = {
  "a name that is none": refusedFor((canary) => ({ name: `${canary}!` })),
  "a description that is no text": refusedFor((canary) => ({ description: { [canary]: canary } })),
  "parameters that are no schema": refusedFor((canary) => ({ parameters: canary })),
  "a strict schema that cannot be followed": refusedFor((canary) => ({
    parameters: object({ [canary]: { $ref: `#/$defs/${canary}` }, other: { type: canary } }),
  })),
  "a strict schema with a broken pattern": refusedFor((canary) => ({
    parameters: object({ [canary]: { type: "string", pattern: `(${canary}` } }, { required: [canary] }),
  })),
  "a strict schema with a keyword that cannot be enforced": refusedFor((canary) => ({
    parameters: object({ [canary]: { type: "string", not: { const: canary } } }, { required: [canary] }),
  })),
  "a tool of another type": refusedWith((canary) => ({ tools: [{ type: canary, [canary]: canary }] })),
  "too many tools": refusedWith(
    (canary) => ({ tools: Array.from({ length: 129 }, () => markedTool(canary)) }),
    "array_above_max_length",
  ),
  "schemas that are too large": refusedWith((canary) => {
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`${nameOf(canary)}${index}`, { type: "string" }]),
    );
    return { tools: [{ type: "function", function: { name: "large", parameters: object(properties) } }] };
  }),
  "tools that leave no room": refusedWith((canary) => {
    const { type, function: described } = markedTool(canary);
    return { tools: [{ type, function: { ...described, description: canary.repeat(2_000) } }] };
  }, "context_length_exceeded"),
  "a choice that is none": refusedWith((canary) => ({ tool_choice: canary })),
  "a choice of an unknown function": refusedWith((canary) => ({
    tool_choice: { type: "function", function: { name: `${nameOf(canary)}_unknown` } },
  })),
  "a choice among unknown functions": refusedWith((canary) => ({
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [{ type: "function", function: { name: `x${nameOf(canary)}` } }],
      },
    },
  })),
  "a result without a call": refusedWith((canary) => ({ messages: history(canary).toSpliced(1, 1) })),
  "a result of another call": refusedWith((canary) => ({
    messages: history(canary, { result: { tool_call_id: canary } }),
  })),
  "a result that is no text": refusedWith((canary) => ({
    messages: history(canary, { result: { content: [{ type: canary, [canary]: canary }] } }),
  })),
  "an earlier call of another type": refusedWith((canary) => ({
    messages: history(canary, { call: { type: canary } }),
  })),
  "earlier arguments that are no text": refusedWith((canary) => ({
    messages: history(canary, { call: { function: { name: nameOf(canary), arguments: { mark: canary } } } }),
  })),
  "earlier reasoning that is not text": refusedWith((canary) => ({
    messages: [{ role: "assistant", content: canary, reasoning_content: [canary] }],
  })),
};

// --------------------------------------------------------------------------------------------- interrupted

export const interruptedCalls: Record<string, Way> = {
  "a hang-up in the middle of a call": async (installation, canary) => {
    const hangUp = new AbortController();
    await readUntilCall(await installation.chat(endlessCall(canary), {}, hangUp.signal));
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
  "an engine that is killed in the middle of a call": async ({ sotto, chat }, canary) => {
    const engines = childrenOf(sotto.pid);
    const response = await chat(endlessCall(canary));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    expect(await rest(response)).toContain("engine_unavailable");
    await eventually(async () => (await chat(ask("filler"))).status === 200);
    return "";
  },
};
