/** The ways in which a user's text reaches the service by `/v1/completions`. Replies may repeat it; errors must not. */
import { expect } from "vitest";
import type { Installation } from "./installation.js";
import { failed, isIdle, longStream, rest, type Way } from "./ways.js";

const ask = (canary: string, more: object = {}) => ({
  model: "omega",
  prompt: `prompt ${canary}`,
  max_tokens: 16,
  user: canary,
  [canary]: canary,
  ...more,
});

const post = ({ sotto, key }: Installation, body: object, signal?: AbortSignal) =>
  fetch(`${sotto.baseURL}/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

export const continued: Record<string, Way> = {
  "a text completion that repeats it": async (installation, canary) => {
    const response = await post(installation, ask(canary, { prompt: [canary, canary], echo: true }));
    expect(await response.text()).toContain(canary);
    return "";
  },
  "a streamed text completion, with log probabilities": async (installation, canary) => {
    const body = ask(canary, { stream: true, stop: [canary], logprobs: 2 });
    expect(await rest(await post(installation, body))).toContain("[DONE]");
    return "";
  },
};

const refusedWith =
  (fields: (canary: string) => object, status = 400): Way =>
  async (installation, canary) =>
    failed(await post(installation, ask(canary, fields(canary))), status);

export const refusedCompletions: Record<string, Way> = {
  "a text completion with a suffix": refusedWith((canary) => ({ suffix: canary })),
  "a text completion with prompts of two kinds": refusedWith((canary) => ({
    prompt: [canary, { [canary]: canary }],
  })),
  "a text completion of an unknown model": refusedWith((canary) => ({ model: canary }), 404),
  "a text completion with a prompt that is too long": refusedWith((canary) => ({
    prompt: canary.repeat(2000),
  })),
  "a text completion with a field of the wrong type": refusedWith((canary) => ({ logprobs: canary })),
};

export const interruptedCompletions: Record<string, Way> = {
  "a text completion whose client hung up": async (installation, canary) => {
    const hangUp = new AbortController();
    const response = await post(installation, ask(canary, longStream), hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
};
