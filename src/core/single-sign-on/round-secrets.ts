/**
 * The secrets of one sign-in with a provider, all derived from the token in the browser's cookie. Only this browser can
 * present a state that fits, and only with its cookie can the code be redeemed; none of it has to be stored.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { RoundSecrets } from "./ports.js";

export const roundSecrets = (token: string): RoundSecrets => ({
  state: derive(token, "state"),
  nonce: derive(token, "nonce"),
  verifier: derive(token, "verifier"),
});

/** Whether the answer belongs to the round of this token. */
export function isStateOf(token: string, state: string | null): boolean {
  const expected = Buffer.from(roundSecrets(token).state);
  const given = Buffer.from(state ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** 43 characters, the least that PKCE allows for a verifier. */
const derive = (token: string, name: string): string =>
  createHmac("sha256", token).update(`sign-in ${name}`).digest("base64url");
