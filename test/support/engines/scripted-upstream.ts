/**
 * A chat engine on the network that does what a test tells it to, well or badly. It keeps what it was asked, so
 * that tests can see what reaches an engine, and counts connections that were closed before their answer ended.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** Answers one chat request. */
export type ChatScript = (response: ServerResponse, asked: Asked) => void;

type Answer = object | number | string | ChatScript;

export interface ScriptedUpstream {
  url: string;
  port: number;
  /** Chat requests so far. */
  chats: Asked[];
  /** All other requests so far. */
  questions: Asked[];
  /** Chat requests whose connection was closed before the answer ended. */
  hungUp: number;
  /** Chat requests under way. */
  open: number;
  chat: ChatScript;
  /** JSON answers by path; a number is a status without a body; what is missing is 404. */
  answers: Record<string, Answer>;
  close(): Promise<void>;
}

export async function startScriptedUpstream(
  answers: ScriptedUpstream["answers"] = vllmAnswers(),
): Promise<ScriptedUpstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      const text = Buffer.concat(parts).toString("utf8");
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      const asked = { path, headers: request.headers, body };
      if (path.endsWith("/chat/completions")) answerChat(asked, response);
      else {
        upstream.questions.push(asked);
        answerQuestion(upstream.answers[path], response, asked);
      }
    });
  });
  const answerChat = (asked: Asked, response: ServerResponse) => {
    upstream.chats.push(asked);
    upstream.open += 1;
    response.on("close", () => {
      upstream.open -= 1;
      if (!response.writableEnded) upstream.hungUp += 1;
    });
    upstream.chat(response, asked);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    chats: [],
    questions: [],
    hungUp: 0,
    open: 0,
    chat: speaks("Hello", " there", "."),
    answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  return upstream;
}

function answerQuestion(answer: Answer | undefined, response: ServerResponse, asked: Asked): void {
  if (isScript(answer)) answer(response, asked);
  else if (typeof answer === "number" || answer === undefined) response.writeHead(answer ?? 404).end();
  else if (typeof answer === "string") response.writeHead(200, { "content-type": "text/plain" }).end(answer);
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

const isScript = (answer: Answer | undefined): answer is ChatScript => typeof answer === "function";

/** What a healthy vLLM reports about itself. */
export const vllmAnswers = (): ScriptedUpstream["answers"] => ({
  "/health": 200,
  "/version": { version: "0.11.2" },
  "/v1/models": { object: "list", data: [{ id: "big-model", object: "model", max_model_len: 1000 }] },
  "/tokenize": { count: 7, max_model_len: 1000, tokens: [1, 2, 3, 4, 5, 6, 7] },
});

export const openStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });

export const event = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const chunk = (
  delta: {
    content?: string | null;
    role?: string;
    reasoning_content?: string;
    reasoning?: string;
    tool_calls?: object[];
  },
  finish: string | null = null,
  index = 0,
): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "big-model",
  choices: [{ index, delta, finish_reason: finish, logprobs: null }],
});

export const usageChunk = (promptTokens: number, completionTokens: number): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [],
  usage: {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  },
});

/** A good answer, token by token, with its usage. */
export const speaks =
  (...fragments: string[]): ChatScript =>
  (response) => {
    openStream(response);
    response.write(event(chunk({ role: "assistant", content: "" })));
    for (const content of fragments) response.write(event(chunk({ content })));
    response.write(event(chunk({}, "stop")));
    response.write(event(usageChunk(7, fragments.length)));
    response.end(event("[DONE]"));
  };

/** Opens a stream, sends this text as it is, and ends it. */
export const sends =
  (...parts: (string | Buffer)[]): ChatScript =>
  (response) => {
    openStream(response);
    for (const part of parts) response.write(part);
    response.end();
  };

export const answers =
  (status: number, body: string, headers: Record<string, string> = {}): ChatScript =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  };
