/** One reply of the service, streamed. What a model writes is not trusted: nothing of it can control the terminal. */
import { createParser } from "eventsource-parser";
import * as z from "zod";
import { UserError } from "../../core/user-error.js";
import { noServerAt } from "../origin.js";

export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface ChatTarget {
  origin: string;
  key: string;
  model: string;
}

const maxEventChars = 1024 * 1024;

const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
      }),
    )
    .default([]),
  error: z.object({ message: z.string() }).optional(),
});
const failure = z.object({ error: z.object({ message: z.string() }) });

export interface Fragment {
  kind: "reasoning" | "text";
  text: string;
}

/**
 * Rejects with `UserError` when the service refuses or cannot be reached, with the signal's reason when it is
 * aborted.
 */
export async function* streamReply(
  { origin, key, model }: ChatTarget,
  messages: readonly Message[],
  signal: AbortSignal,
): AsyncGenerator<Fragment> {
  const response = await post(origin, key, { model, messages, stream: true }, signal);
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ data }) => void events.push(data),
  });
  const decoder = new TextDecoder();
  // Typed as a stream of unknown.
  const body: AsyncIterable<Uint8Array> | null = response.body;
  try {
    for await (const bytes of body ?? []) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const data of events.splice(0)) if (data !== "[DONE]") yield* fragmentsOf(data);
    }
  } catch (error) {
    if (signal.aborted || error instanceof UserError) throw error;
    throw new UserError("The connection was lost before the reply ended.");
  }
}

function* fragmentsOf(data: string): Generator<Fragment> {
  const { choices, error } = chunk.parse(JSON.parse(data));
  if (error !== undefined) throw new UserError(printable(error.message));
  for (const { delta } of choices) {
    const { content, reasoning_content: reasoning } = delta;
    if (reasoning) yield { kind: "reasoning", text: printable(reasoning) };
    if (content) yield { kind: "text", text: printable(content) };
  }
}

async function post(origin: string, key: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw noServerAt(origin);
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => "");
  throw new UserError(reasonIn(text) ?? `The server answered ${response.status}.`);
}

function reasonIn(text: string): string | null {
  try {
    return printable(failure.parse(JSON.parse(text)).error.message);
  } catch {
    return null;
  }
}

/** Without control characters but line breaks and tabs: an escape sequence could rewrite what is on the screen. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => (character === "\n" || character === "\t" ? character : ""));
