/** The ways in which a user's text reaches the service by Ollama's API, and by compaction. */
import { expect } from "vitest";
import { eventually } from "../support/eventually.js";
import { childrenOf } from "../support/processes/children.js";
import type { Installation } from "./installation.js";
import { failed, isIdle, rest, type Way } from "./ways.js";

/** The canary in every place that has room for it. */
const ask = (canary: string, more: object = {}) => ({
  model: "omega:latest",
  messages: [
    { role: "system", content: canary },
    { role: "user", content: canary, name: canary },
    {
      role: "assistant",
      content: canary,
      thinking: canary,
      tool_calls: [{ id: canary, function: { name: "look", arguments: { [canary]: canary } } }],
    },
    { role: "tool", content: canary, tool_call_id: canary, tool_name: canary },
    { role: "user", content: canary },
  ],
  options: { num_predict: 16, stop: [canary], [canary]: canary },
  keep_alive: canary,
  metadata: { chat_id: canary },
  ...more,
});

const schema = (canary: string) => ({
  type: "object",
  properties: { mark: { const: canary, description: canary } },
  required: ["mark"],
  additionalProperties: false,
});

const saying = (canary: string, more: object = {}) =>
  ask(canary, { format: schema(canary), options: { num_predict: 400 }, ...more });

const post = ({ sotto, key }: Installation, path: string, body: unknown, signal?: AbortSignal) =>
  fetch(sotto.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { message?: { content: string }; done?: boolean; error?: string });

const replied = async (response: Response): Promise<string> => {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  return text;
};

export const ollamaWays: Record<string, Way> = {
  "a chat over Ollama's API": async (installation, canary) => {
    await replied(await post(installation, "/api/chat", ask(canary, { stream: false })));
    return "";
  },
  "a streamed chat over Ollama's API that says it": async (installation, canary) => {
    const lines = linesOf(
      await replied(await post(installation, "/api/chat", saying(canary, { logprobs: true }))),
    );
    expect(lines.at(-1)).toMatchObject({ done: true });
    const said = lines.map(({ message }) => message?.content ?? "").join("");
    expect(JSON.parse(said)).toEqual({ mark: canary });
    return "";
  },
  "a prompt over Ollama's API": async (installation, canary) => {
    const body = { model: "omega", prompt: canary, system: canary, options: { num_predict: 16 } };
    await replied(await post(installation, "/api/generate", body));
    return "";
  },
  "a conversation that is compacted, and its summary": async (installation, canary) => {
    const input = [
      { role: "user", content: canary },
      { role: "assistant", content: canary },
    ];
    const body = { model: "omega", instructions: canary, input, max_output_tokens: 16 };
    const text = await replied(await post(installation, "/v1/responses/compact", body));
    const { output } = JSON.parse(text) as { output: object[] };
    const next = {
      model: "omega",
      input: [...output, { role: "user", content: canary }],
      max_output_tokens: 16,
    };
    await replied(await post(installation, "/v1/responses", next));
    return "";
  },
};

export const refusedOllama: Record<string, Way> = {
  "malformed JSON over Ollama's API": async (installation, canary) =>
    failed(await post(installation, "/api/chat", `{"model": "omega", "messages": [${canary}`), 400),
  "an unknown model over Ollama's API": async (installation, canary) =>
    failed(await post(installation, "/api/chat", ask(canary, { model: canary })), 404),
  "wrong fields over Ollama's API": async (installation, canary) => {
    const bodies = [
      ["/api/chat", ask(canary, { options: { temperature: canary } })],
      ["/api/chat", ask(canary, { format: canary })],
      ["/api/chat", ask(canary, { think: canary })],
      ["/api/chat", ask(canary, { messages: [{ role: canary, content: canary }] })],
      ["/api/chat", ask(canary, { messages: [{ role: "user", content: "x", images: [canary] }] })],
      ["/api/generate", { model: "omega", prompt: canary, template: canary }],
      ["/api/generate", { model: "omega", prompt: canary, context: [canary] }],
      ["/api/embed", { model: "omega", input: { [canary]: canary } }],
      ["/api/embeddings", { model: "omega", prompt: [canary] }],
    ] as const;
    const answers: string[] = [];
    for (const [path, body] of bodies) answers.push(await failed(await post(installation, path, body), 400));
    return answers.join("\n");
  },
  "a model to pull over Ollama's API": async (installation, canary) =>
    failed(await post(installation, `/api/blobs/${encodeURIComponent(canary)}`, { model: canary }), 404),
  "a summary that cannot be opened": async (installation, canary) => {
    const encrypted_content = `sotto.1.${Buffer.from(canary).toString("base64url")}`;
    const input = [
      { type: "compaction", encrypted_content },
      { role: "user", content: canary },
    ];
    return failed(await post(installation, "/v1/responses", { model: "omega", input }), 400);
  },
};

export const interruptedOllama: Record<string, Way> = {
  "a hang-up in the middle of a chat over Ollama's API": async (installation, canary) => {
    const hangUp = new AbortController();
    const endless = ask(canary, { options: { num_predict: 30_000 } });
    const response = await post(installation, "/api/chat", endless, hangUp.signal);
    await response.body?.getReader().read();
    hangUp.abort();
    await isIdle(installation);
    return "";
  },
  "an engine that is killed in the middle of a chat over Ollama's API": async (installation, canary) => {
    const { sotto, chat } = installation;
    const filler = { model: "omega", max_tokens: 1, messages: [{ role: "user", content: "filler" }] };
    await eventually(async () => (await chat(filler)).status === 200);
    const engines = childrenOf(sotto.pid);
    const response = await post(installation, "/api/chat", ask(canary, { options: { num_predict: 30_000 } }));
    for (const pid of engines) process.kill(pid, "SIGKILL");
    const text = await rest(response);
    const last = linesOf(text).at(-1);
    expect(last?.error).toContain("not available");
    return last?.error ?? "";
  },
};
