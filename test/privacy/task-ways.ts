/** The ways in which a user's text reaches the service by embeddings and rankings. */
import { expect } from "vitest";
import type { Installation } from "./installation.js";
import { failed, type Way } from "./ways.js";

const post = ({ sotto, key }: Installation, path: string, body: unknown, signal?: AbortSignal) =>
  fetch(`${sotto.baseURL}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

const embed = (installation: Installation, fields: object, signal?: AbortSignal) =>
  post(installation, "/embeddings", { model: "iota", ...fields }, signal);

const rank = (installation: Installation, fields: object) =>
  post(installation, "/rerank", { model: "iota", ...fields });

export const tasks: Record<string, Way> = {
  embeddings: async (installation, canary) => {
    for (const encoding_format of ["float", "base64"]) {
      const input = [canary, `about ${canary}`];
      const response = await embed(installation, { input, encoding_format, user: canary, [canary]: canary });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    return "";
  },
  "embeddings of many texts": async (installation, canary) => {
    const response = await embed(installation, { input: Array.from({ length: 500 }, () => canary) });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return "";
  },
  "a ranking, with the documents": async (installation, canary) => {
    const fields = {
      query: canary,
      documents: [canary, { text: `about ${canary}` }],
      return_documents: true,
    };
    const response = await rank(installation, fields);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(canary);
    return "";
  },
};

export const refusedTasks: Record<string, Way> = {
  "embeddings in a wrong encoding": async (installation, canary) =>
    failed(await embed(installation, { input: canary, encoding_format: canary }), 400, "invalid_value"),
  "embeddings of something else": async (installation, canary) =>
    failed(await embed(installation, { input: [canary, { [canary]: canary }] }), 400, "invalid_type"),
  "embeddings of a text that is too long": async (installation, canary) =>
    failed(
      await embed(installation, { input: [canary, canary.repeat(500)] }),
      400,
      "context_length_exceeded",
    ),
  "embeddings by an unknown model": async (installation, canary) =>
    failed(await embed(installation, { model: canary, input: canary }), 404),
  "embeddings by a model that chats": async (installation, canary) =>
    failed(await embed(installation, { model: "omega", input: canary }), 400, "unsupported_value"),
  "a ranking of a wrong document": async (installation, canary) =>
    failed(await rank(installation, { query: canary, documents: [{ [canary]: canary }] }), 400),
  "malformed JSON for embeddings": async (installation, canary) =>
    failed(await post(installation, "/embeddings", `{"model": "iota", "input": ["${canary}`), 400),
};

export const interruptedTasks: Record<string, Way> = {
  "embeddings whose client hung up": async (installation, canary) => {
    const client = new AbortController();
    const asked = embed(
      installation,
      { input: Array.from({ length: 2048 }, () => `${canary} ${canary}`) },
      client.signal,
    );
    await new Promise((resolve) => setImmediate(resolve));
    client.abort();
    await asked.then((response) => response.arrayBuffer()).catch(() => undefined);
    return "";
  },
};
