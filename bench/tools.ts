/**
 * Tool calls on the starter weights. First whether required calls are valid in the worst case: at temperature 2 every
 * call must parse, and one with a strict schema must be valid. Then what the grammar of a call costs: tokens a second
 * of a long argument beside those of a plain reply with
 * as many tokens after a prompt of about the same length, in turns.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { Agent, fetch } from "undici";
import type { ChatEndpoint } from "./chat-stream.js";
import { starterForBench, startService } from "./contenders.js";
import { median } from "./statistics.js";

const generations = 200;
const atOnce = 8;
const maxTokens = 200;
const rounds = 5;
const speedTokens = 160;

interface Tool {
  type: "function";
  function: { name: string; description: string; parameters: object; strict: boolean };
}

const tool = (name: string, description: string, parameters: object, strict: boolean): Tool => ({
  type: "function",
  function: { name, description, parameters, strict },
});

const strictTool = tool(
  "book_table",
  "Books a table in a restaurant.",
  {
    type: "object",
    properties: {
      restaurant: { type: "string", minLength: 1, maxLength: 24 },
      guests: { type: "integer", minimum: 1, maximum: 12 },
      day: { type: "string", format: "date" },
      seating: { enum: ["inside", "outside", "bar"] },
      wishes: {
        type: "array",
        maxItems: 3,
        items: {
          type: "object",
          properties: {
            kind: { enum: ["diet", "chair"] },
            note: { type: ["string", "null"], maxLength: 16 },
          },
          required: ["kind", "note"],
          additionalProperties: false,
        },
      },
    },
    required: ["restaurant", "guests", "day", "seating", "wishes"],
    additionalProperties: false,
  },
  true,
);

const looseTool = tool(
  "take_note",
  "Keeps a note.",
  {
    type: "object",
    properties: { title: { type: "string" }, urgent: { type: "boolean" }, tags: { type: "array" } },
    required: ["title"],
  },
  false,
);

const storyTool = tool(
  "tell_story",
  "Tells the user a long story.",
  {
    type: "object",
    properties: {
      sentences: {
        type: "array",
        description: "The story, sentence by sentence.",
        items: { type: "string" },
        // More than there is room for: the reply goes on until it is cut.
        minItems: 50,
      },
    },
    required: ["sentences"],
    additionalProperties: false,
  },
  true,
);

/** Replies that are not streamed take long. */
const dispatcher = new Agent({ connections: 64, headersTimeout: 600_000, bodyTimeout: 600_000 });

export async function benchTools(): Promise<void> {
  const weights = await starterForBench();
  const setup = { weights, threads: undefined, sequences: atOnce, contextTokens: 2048 };
  const { sotto, endpoint } = await startService(setup);
  try {
    await compareSpeed(endpoint);
    await countCalls(endpoint);
  } finally {
    await sotto.stop();
    await dispatcher.close();
  }
}

async function post({ baseURL, key }: ChatEndpoint, body: object) {
  const response = await fetch(`${baseURL}/chat/completions`, {
    dispatcher,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "omega", ...body }),
  });
  if (!response.ok || response.body === null) throw new Error(`the request failed with ${response.status}`);
  return { response, stream: response.body };
}

// --------------------------------------------------------------------------------------------------- calls

interface Counts {
  finished: number;
  cutShort: number;
  unparsed: number;
  invalid: number;
}

interface Reply {
  choices: { finish_reason: string; message: { tool_calls?: { function: { arguments: string } }[] } }[];
}

async function countCalls(endpoint: ChatEndpoint): Promise<void> {
  console.log(
    `\n${generations} replies that must call, temperature 2, ${maxTokens} tokens at most, ${atOnce} at once`,
  );
  for (const called of [strictTool, looseTool]) {
    const counts: Counts = { finished: 0, cutShort: 0, unparsed: 0, invalid: 0 };
    let next = 0;
    const worker = async () => {
      while (next < generations / 2) countReply(await callOnce(endpoint, called, next++), called, counts);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const { strict } = called.function;
    console.log(
      `${strict ? "strict" : "loose "}  ${counts.finished} calls finished, ${counts.cutShort} replies cut short; ` +
        `${counts.unparsed} do not parse` +
        (strict ? `, ${counts.invalid} are not valid (targets: 0 and 0)` : " (target: 0)"),
    );
  }
}

async function callOnce(endpoint: ChatEndpoint, called: Tool, seed: number): Promise<Reply> {
  const { response } = await post(endpoint, {
    messages: [{ role: "user", content: "A table for four on Friday, and note that I like tea." }],
    tools: [called],
    tool_choice: "required",
    temperature: 2,
    max_tokens: maxTokens,
    seed,
  });
  return (await response.json()) as Reply;
}

const ajv = new Ajv2020({ strict: false });
// A CommonJS module whose types say otherwise.
const addFormats = "default" in formats ? formats.default : formats;
addFormats(ajv);

function countReply({ choices }: Reply, { function: { parameters, strict } }: Tool, counts: Counts): void {
  for (const { finish_reason, message } of choices) {
    const calls = message.tool_calls ?? [];
    const isCutShort = finish_reason === "length";
    if (isCutShort) counts.cutShort += 1;
    // A reply without a call, or with the wrong finish reason, counts as unparsable.
    else if (finish_reason !== "tool_calls" || calls.length === 0) counts.unparsed += 1;
    // A call that a reply was cut in is not among them.
    for (const call of calls) {
      counts.finished += 1;
      const value = parsed(call.function.arguments);
      if (value === undefined) counts.unparsed += 1;
      else if (strict && !ajv.validate(parameters, value)) counts.invalid += 1;
    }
  }
}

/** Undefined for text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// --------------------------------------------------------------------------------------------------- speed

interface Timed {
  tokens: number;
  promptTokens: number;
  tokensPerSecond: number;
}

const request = "Tell me a very long story about the sea, a lighthouse and a cat. Do not stop early.";

async function compareSpeed(endpoint: ChatEndpoint): Promise<void> {
  console.log(
    `tokens per second of a call with a long argument and of plain text, median of ${rounds} rounds`,
  );
  for (const streams of [1, 4]) {
    const calls: Timed[] = [];
    const plain: Timed[] = [];
    // The first round is warm-up: after it prompts are in the cache and the grammar is compiled, for both alike.
    for (let round = 0; round <= rounds; round++) {
      const called = await timeStreams(endpoint, streams, { ...callBody(), seed: round });
      const said = await timeStreams(endpoint, streams, { ...plainBody(), seed: round });
      if (round === 0) continue;
      calls.push(called);
      plain.push(said);
    }
    const rate = (all: readonly Timed[]) => median(all.map(({ tokensPerSecond }) => tokensPerSecond));
    const sizes = ([one]: readonly Timed[]) => `${one?.tokens} tokens after ${one?.promptTokens}`;
    console.log(
      `${streams} streams: ${rate(calls).toFixed(1)} (${sizes(calls)}) and ${rate(plain).toFixed(1)} (${sizes(plain)}), ` +
        `ratio ${(rate(calls) / rate(plain)).toFixed(2)} (target: at least 0.9)`,
    );
  }
}

const callBody = (): object => ({
  messages: [{ role: "user", content: request }],
  tools: [storyTool],
  tool_choice: "required",
  parallel_tool_calls: false,
  max_tokens: speedTokens,
});

/** The tool's text stands in the prompt as well, so that both prompts are about as long. */
const plainBody = (): object => ({
  messages: [
    { role: "system", content: `You could call this, but answer with text:\n${JSON.stringify(storyTool)}` },
    { role: "user", content: request },
  ],
  max_tokens: speedTokens,
});

async function timeStreams(endpoint: ChatEndpoint, streams: number, body: object): Promise<Timed> {
  const startedMs = performance.now();
  const usages = await Promise.all(Array.from({ length: streams }, () => readStream(endpoint, body)));
  const seconds = (performance.now() - startedMs) / 1000;
  const tokens = usages.reduce((sum, { completion_tokens }) => sum + completion_tokens, 0);
  const promptTokens = usages[0]?.prompt_tokens ?? 0;
  return { tokens, promptTokens, tokensPerSecond: tokens / seconds };
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

/** The starter's end-of-sequence token: left alone it ends its story after a line. */
const neverEnds = { "2": -100 };

async function readStream(endpoint: ChatEndpoint, body: object): Promise<Usage> {
  const streaming = { logit_bias: neverEnds, stream: true, stream_options: { include_usage: true } };
  const { stream } = await post(endpoint, { ...body, ...streaming });
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let usage: Usage | null = null;
  for await (const { data } of events) {
    if (data === "[DONE]") continue;
    usage = (JSON.parse(data) as { usage?: Usage | null }).usage ?? usage;
  }
  if (usage === null) throw new Error("the stream ended without its usage");
  return usage;
}
