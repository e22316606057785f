/**
 * One streamed completion over HTTP, of which only the first token and the number of tokens are of interest. It reads
 * as little of the stream as it can: with a hundred fast streams the reader would otherwise be what is measured.
 */
import { Agent, request } from "undici";
import type { ChatEndpoint } from "../chat-stream.js";

export interface TimedStream {
  tokens: number;
  /** When the first text arrived, or the end of a reply without text. */
  firstMs: number;
}

/** Keep-alive connections, as many as are needed; long timeouts, for long prompts. */
const dispatcher = new Agent({ headersTimeout: 600_000, bodyTimeout: 600_000 });

const firstText = /"content":"[^"]/;

export async function timeStream(
  { baseURL, key }: ChatEndpoint,
  content: string,
  maxTokens: number,
): Promise<TimedStream> {
  const startedMs = performance.now();
  const { statusCode, body } = await request(`${baseURL}/chat/completions`, {
    dispatcher,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "omega",
      messages: [{ role: "user", content }],
      max_tokens: maxTokens,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (statusCode !== 200) throw new Error(`the request failed with ${statusCode}`);
  let firstMs: number | undefined;
  const parts: Buffer[] = [];
  for await (const part of body as AsyncIterable<Buffer>) {
    if (firstMs === undefined && firstText.test(part.toString("latin1")))
      firstMs = performance.now() - startedMs;
    parts.push(part);
  }
  const end = Buffer.concat(parts.slice(-8)).toString("latin1");
  const tokens = Number(/"completion_tokens":(\d+)/.exec(end)?.[1] ?? 0);
  return { tokens, firstMs: firstMs ?? performance.now() - startedMs };
}

export const closeTimedStreams = (): Promise<void> => dispatcher.close();
