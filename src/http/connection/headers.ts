import type { IncomingMessage } from "node:http";

/**
 * All values of a header, as sent; `name` in lowercase. Node's parsed headers keep only the first of two
 * `Authorization` or `Content-Type` lines; another program on the way may have gone by the second.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? "";
    // Most differ in length: only the rest is worth a lowercase copy.
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
}

/** HTTP/1.0 has no interim answers: a client would take one for the answer. */
export const waitsForContinue = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue";
