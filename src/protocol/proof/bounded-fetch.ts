/** Reads from a service that is not trusted: nothing it answers takes more than a bounded time and memory. */
import { concatBytes } from "@noble/hashes/utils.js";

/** The service could not be checked: it says nothing about whether it would have passed. */
export class CannotVerify extends Error {
  override name = "CannotVerify";
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface Limits {
  timeoutMs: number;
  limitBytes: number;
}

/** Null for a 404. */
export async function fetchBytes(
  url: string,
  fetch: Fetch,
  { timeoutMs, limitBytes }: Limits,
): Promise<Uint8Array | null> {
  const host = hostOf(url);
  try {
    const init = { signal: AbortSignal.timeout(timeoutMs), redirect: "error", cache: "no-store" } as const;
    const response = await fetch(url, { ...init, credentials: "omit" });
    if (response.status === 404) return null;
    if (!response.ok) {
      throw new CannotVerify(`${host} answered ${response.status}${await reasonOf(response, limitBytes)}.`);
    }
    return await bounded(response, limitBytes, host);
  } catch (error) {
    if (error instanceof CannotVerify) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new CannotVerify(
      isLate ? `${host} did not answer within ${timeoutMs / 1000} seconds.` : `${host} could not be reached.`,
    );
  }
}

async function bounded(response: Response, limitBytes: number, host: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limitBytes) {
      await reader.cancel();
      throw new CannotVerify(`${host} answered with more than ${limitBytes} bytes.`);
    }
    chunks.push(value);
  }
  return concatBytes(...chunks);
}

/** What the service says about its refusal, in one line; nothing where it is not in its own words. */
async function reasonOf(response: Response, limitBytes: number): Promise<string> {
  try {
    const text = new TextDecoder().decode(await bounded(response, limitBytes, ""));
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    const message = typeof error?.message === "string" ? error.message : "";
    return message === ""
      ? ""
      : `: ${message
          .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
          .slice(0, 300)
          .replace(/\.$/, "")}`;
  } catch {
    return "";
  }
}

const hostOf = (url: string): string => new URL(url).host;
