/** One streamed completion over HTTP, timed token by token. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { Agent, fetch } from "undici";

export interface ChatEndpoint {
  baseURL: string;
  key: string;
}

export interface StreamTimes {
  tokens: number;
  cachedTokens: number;
  promptTokens: number;
  text: string;
  /** When each fragment arrived, since the request. */
  fragmentsMs: number[];
  /** When the first arrived, or the end of a reply without text. */
  firstMs: number;
}

export interface Ask {
  messages: { role: string; content: string }[];
  maxTokens: number;
  onFragment?: () => void;
}

/** Keep-alive connections, one for each stream; long timeouts, for long prompts. */
const dispatcher = new Agent({ connections: 64, headersTimeout: 600_000, bodyTimeout: 600_000 });

export async function streamChat({ baseURL, key }: ChatEndpoint, ask: Ask): Promise<StreamTimes> {
  const startedMs = performance.now();
  const response = await fetch(`${baseURL}/chat/completions`, {
    dispatcher,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "omega",
      messages: ask.messages,
      max_tokens: ask.maxTokens,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok || response.body === null) throw new Error(`the request failed with ${response.status}`);
  const times: StreamTimes = {
    tokens: 0,
    cachedTokens: 0,
    promptTokens: 0,
    text: "",
    fragmentsMs: [],
    firstMs: 0,
  };
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    if (data === "[DONE]") continue;
    const { choices, usage } = JSON.parse(data) as Chunk;
    const content = choices?.[0]?.delta?.content ?? "";
    if (content !== "") {
      times.text += content;
      times.fragmentsMs.push(performance.now() - startedMs);
      ask.onFragment?.();
    }
    times.tokens = usage?.completion_tokens ?? times.tokens;
    times.promptTokens = usage?.prompt_tokens ?? times.promptTokens;
    times.cachedTokens = usage?.prompt_tokens_details?.cached_tokens ?? times.cachedTokens;
  }
  times.firstMs = times.fragmentsMs[0] ?? performance.now() - startedMs;
  return times;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
}

export const closeConnections = (): Promise<void> => dispatcher.close();
