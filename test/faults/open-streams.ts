/** Many streams that are open while a server ends. */
import { postChat } from "../support/clients/post-chat.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";

export const roomy = { SOTTO_LIMIT_CONCURRENT_REQUESTS: "1000", SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000" };

export const ask = (server: SottoProcess, key: string, maxTokens: number): Promise<Response> =>
  postChat(server.url, key, {
    stream: true,
    max_tokens: maxTokens,
    messages: [{ role: "user", content: "go on" }],
  });

/** Resolves when all of them have begun. */
export const openStreams = (
  server: SottoProcess,
  count: number,
  key: string,
  maxTokens: number,
): Promise<Response[]> => Promise.all(Array.from({ length: count }, () => ask(server, key, maxTokens)));

export const readiness = async (server: SottoProcess): Promise<number> =>
  (await fetch(`${server.url}/readyz`)).status;
