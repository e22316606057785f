/**
 * Requests of every class, each with a mark of its own: answered, streamed, refused and interrupted, through each of
 * the APIs. They go through the real stack, with whatever is in front of it.
 */
import { Readable } from "node:stream";
import { request } from "undici";
import { scheduleContextOf, sendTo } from "../../core/proof/hpke.js";
import { newMark } from "../../core/proof/marks.js";

export interface Target {
  origin: string;
  key: string;
  model: string;
  /** What requests are encrypted to, where they have to be. */
  publicKey: Uint8Array | null;
  /** Of one body, as the server is configured. */
  bodyLimitBytes: number;
}

export interface SentRequest {
  name: string;
  mark: string;
  /** Null where it was answered as it should be; otherwise what happened instead. */
  unexpected: string | null;
}

interface MarkedRequest {
  name: string;
  path: string;
  /** JSON, or the text itself. */
  body: (mark: string, target: Target) => object | string;
  /** Of several, any. */
  status: number | readonly number[];
  /** Closes the connection after the first bytes of the reply. */
  hangsUp?: true;
  /** Without saying beforehand how long it is. */
  chunked?: true;
}

const requestMs = 120_000;
const mostReplyBytes = 64 * 1024 * 1024;

/** Resolves when all have ended. `onSent` is called after each. */
export async function sendMarked(
  target: Target,
  signal: AbortSignal,
  onSent: (name: string, done: number, all: number) => void,
): Promise<SentRequest[]> {
  const sent: SentRequest[] = [];
  for (const one of requests) {
    signal.throwIfAborted();
    const mark = newMark();
    const unexpected = await send(one, mark, target, signal);
    sent.push({ name: one.name, mark, unexpected });
    onSent(one.name, sent.length, requests.length);
  }
  return sent;
}

async function send(
  one: MarkedRequest,
  mark: string,
  target: Target,
  signal: AbortSignal,
): Promise<string | null> {
  const { origin, key, model } = target;
  const body = one.body(mark, target);
  const text = typeof body === "string" ? body : JSON.stringify({ model, ...body });
  const { bytes: content, headers } = sealed(Buffer.from(text), target.publicKey);
  const hangUp = new AbortController();
  try {
    const response = await request(`${origin}${one.path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        ...headers,
      },
      body: one.chunked === true ? Readable.from(pieces(content)) : content,
      signal: AbortSignal.any([signal, hangUp.signal, AbortSignal.timeout(requestMs)]),
    });
    let bytes = 0;
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (one.hangsUp === true || bytes > mostReplyBytes) hangUp.abort();
    }
    return [one.status].flat().includes(response.statusCode) ? null : `answered ${response.statusCode}`;
  } catch (error) {
    signal.throwIfAborted();
    if (hangUp.signal.aborted) return null;
    // A server that refuses a body closes the connection while it is still being sent.
    if (one.chunked === true) return null;
    return error instanceof Error && error.name === "TimeoutError"
      ? "no answer in time"
      : "the connection failed";
  }
}

/** Unchanged without a key. The reply is not opened: its status is not encrypted. */
function sealed(bytes: Buffer, publicKey: Uint8Array | null): { bytes: Buffer; headers: object } {
  if (publicKey === null) return { bytes, headers: {} };
  const { encapsulated, frame } = sendTo(publicKey, scheduleContextOf(Buffer.from("ehbp request")));
  return { bytes: frame(bytes), headers: { "ehbp-encapsulated-key": encapsulated.toString("hex") } };
}

function* pieces(bytes: Buffer): Generator<Buffer, void, undefined> {
  const pieceBytes = 64 * 1024;
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const messages = (mark: string) => [
  { role: "user", content: `Say something about ${mark}.` },
  { role: "assistant", content: `About ${mark}?` },
  { role: "user", content: mark },
];
const short = { max_tokens: 16 };
const long = { max_tokens: 2_000, stream: true };
const schemaOf = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** Makes the model itself say the mark. */
const inSchema = (schema: object) => ({
  max_tokens: 400,
  response_format: { type: "json_schema", json_schema: { name: "mark", strict: true, schema } },
});
const tool = (mark: string) => ({
  name: "note",
  description: `Notes ${mark}`,
  parameters: schemaOf({ text: { const: mark } }),
});
const fill = (mark: string, bytes: number) => mark.repeat(Math.ceil(bytes / Buffer.byteLength(mark)));
/** Parsed in a thread. */
const largeBytes = 200 * 1024;

const chat = "/v1/chat/completions";
const responses = "/v1/responses";
const anthropic = "/v1/messages";
const textCompletions = "/v1/completions";
const embeddings = "/v1/embeddings";

type Body = MarkedRequest["body"];
const answered = (name: string, path: string, body: Body) => ({ name, path, body, status: 200 });
const refused = (name: string, path: string, body: Body) => ({ name, path, body, status: 400 });
const interrupted = (name: string, path: string, body: Body) => ({
  ...answered(name, path, body),
  hangsUp: true as const,
});

const requests: readonly MarkedRequest[] = [
  answered("a reply", chat, (mark) => ({ messages: messages(mark), ...short })),
  answered("a reply that says it", chat, (mark) => ({
    messages: messages(mark),
    ...inSchema(schemaOf({ mark: { const: mark } })),
  })),
  answered("a stream that says it", chat, (mark) => ({
    messages: messages(mark),
    stream: true,
    ...inSchema(schemaOf({ mark: { const: mark } })),
  })),
  answered("a schema with marked names", chat, (mark) => ({
    messages: messages(mark),
    ...inSchema(schemaOf({ [mark]: { enum: [mark], description: mark } })),
  })),
  answered("a tool call with marked arguments", chat, (mark) => {
    const called = { name: "note", arguments: JSON.stringify({ text: mark }) };
    const calls = [{ id: "call_1", type: "function", function: called }];
    return {
      messages: [
        ...messages(mark),
        { role: "assistant", content: null, tool_calls: calls },
        { role: "tool", tool_call_id: "call_1", content: mark },
      ],
      tools: [{ type: "function", function: tool(mark) }],
      tool_choice: { type: "function", function: { name: "note" } },
      max_tokens: 400,
    };
  }),
  answered("a large body", chat, (mark) => ({
    messages: messages(mark),
    user: fill(mark, largeBytes),
    ...short,
  })),
  refused("a wrong value", chat, (mark) => ({ messages: messages(mark), temperature: mark })),
  refused("invalid JSON", chat, (mark) => `{"messages": [{"content": "${mark}`),
  refused(
    "invalid JSON in a large body",
    chat,
    (mark) => `{"messages": [{"content": "${fill(mark, largeBytes)}`,
  ),
  refused("a prompt longer than the context", chat, (mark, { bodyLimitBytes }) => ({
    messages: [{ role: "user", content: fill(mark, bodyLimitBytes * 0.9) }],
  })),
  {
    ...refused("a body over the limit", chat, (mark, { bodyLimitBytes }) => ({
      messages: messages(fill(mark, bodyLimitBytes / 2)),
    })),
    chunked: true,
  },
  interrupted("a hang-up in the middle", chat, (mark) => ({ messages: messages(mark), ...long })),
  answered("a response", responses, (mark) => ({ input: mark, instructions: mark, max_output_tokens: 16 })),
  answered("a streamed response that says it", responses, (mark) => {
    const schema = schemaOf({ mark: { const: mark } });
    return {
      input: [{ role: "user", content: mark }],
      text: { format: { type: "json_schema", name: "mark", strict: true, schema } },
      max_output_tokens: 400,
      stream: true,
      store: false,
    };
  }),
  refused("a response with a wrong item", responses, (mark) => ({ input: [{ type: mark, content: mark }] })),
  interrupted("a response whose client hung up", responses, (mark) => ({
    input: mark,
    max_output_tokens: 2_000,
    stream: true,
    store: false,
  })),
  answered("a message", anthropic, (mark) => ({ messages: messages(mark), system: mark, ...short })),
  answered("a streamed message that calls a tool with it", anthropic, (mark) => {
    const { parameters, ...rest } = tool(mark);
    return {
      messages: messages(mark),
      tools: [{ ...rest, input_schema: parameters }],
      tool_choice: { type: "tool", name: "note" },
      max_tokens: 400,
      stream: true,
    };
  }),
  refused("a message with a wrong role", anthropic, (mark) => ({
    messages: [{ role: mark, content: mark }],
    ...short,
  })),
  interrupted("a message whose client hung up", anthropic, (mark) => ({ messages: messages(mark), ...long })),
  {
    name: "embeddings",
    path: embeddings,
    body: (mark) => ({ model: "iota", input: [mark, `About ${mark}`], user: mark }),
    // The operator may not offer it.
    status: [200, 404],
  },
  refused("embeddings with a wrong value", embeddings, (mark) => ({
    model: "iota",
    input: mark,
    encoding_format: mark,
  })),
  {
    name: "a ranking",
    path: "/v1/rerank",
    body: (mark) => ({ model: "iota", query: mark, documents: [mark, `About ${mark}`] }),
    // Few models rank.
    status: [200, 400, 404],
  },
  answered("a streamed text completion", textCompletions, (mark) => ({
    prompt: mark,
    stream: true,
    ...short,
  })),
  refused("a text completion that is refused", textCompletions, (mark) => ({
    prompt: [mark, { [mark]: mark }],
  })),
];
