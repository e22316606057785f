/** A program with a key, on a whole service. */
import { postChat } from "./post-chat.js";
import { createKey } from "../../../src/core/keys/issue-keys.js";
import { createAccount } from "../../../src/core/accounts/accounts.js";
import type { FullStore } from "../../../src/store/full-store.js";
import { systemClock } from "../../../src/core/clock.js";
import type { ApiKey } from "../../../src/core/entities.js";
import { question } from "./chat.js";

export interface ApiCaller {
  key: ApiKey;
  text: string;
  /** The status of a small completion. */
  ask(url: string): Promise<number>;
  stream(url: string): Promise<Response>;
}

export async function newApiCaller(store: FullStore, email: string, planId = "free"): Promise<ApiCaller> {
  const request = { email, password: null, role: "user", planId } as const;
  const account = await createAccount(store, request, () => Promise.reject(new Error("no password")));
  const permissions = { name: "test", models: null, operations: null, expiresAt: null };
  const { key, text } = await createKey(store, systemClock, account, permissions);
  const send = (url: string, stream: boolean) => postChat(url, text, { ...question, stream, max_tokens: 8 });
  return {
    key,
    text,
    ask: async (url) => {
      const response = await send(url, false);
      await response.arrayBuffer();
      return response.status;
    },
    stream: (url) => send(url, true),
  };
}
