/**
 * An engine of ours behind a whole Sotto, made to look like vLLM: Sotto's API answers the chats, and what vLLM has
 * besides (its context length, its count of a prompt) is added in front of it.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp, type App } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config.js";
import { createKey } from "../../../src/core/keys/issue-keys.js";
import { systemClock } from "../../../src/core/clock.js";
import type { Engine } from "../../../src/core/serving/engine-port.js";
import { parseChatRequest } from "../../../src/protocol/chat-completions/request.js";
import { ServiceError } from "../../../src/core/errors.js";
import { generationOf } from "../../contract/engines/engine-contract.js";

export interface EngineAsUpstream {
  url: string;
  /** Of the Sotto itself, with nothing added. */
  sottoUrl: string;
  key: string;
  close(): Promise<void>;
}

export async function serveAsUpstream(engine: Engine): Promise<EngineAsUpstream> {
  const dataDir = mkdtempSync(join(tmpdir(), "sotto-upstream-"));
  const many = "1000000";
  const config = loadConfig({
    env: {
      SOTTO_DATA_DIR: dataDir,
      SOTTO_PORT: "0",
      SOTTO_LOG_LEVEL: "silent",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: many,
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
      SOTTO_LIMIT_CONCURRENT_REQUESTS: many,
    },
  });
  const app = await startApp(config, {
    engine: {
      prepare: (generation, signal) => engine.prepare(generation, signal),
      generate: (prepared, signal) => engine.generate(prepared, signal),
      // It answers for one of them; the list has all three.
      status: () => engine.status("omega"),
      forgetAccount: (accountId) => {
        engine.forgetAccount(accountId);
      },
      keptOf: (accountId) => engine.keptOf(accountId),
      close: () => engine.close(),
    },
  });
  const newKey = async (email: string) => {
    const account = { email, passwordHash: null, role: "user", planId: "free" } as const;
    const request = { name: "gateway", models: null, operations: null, expiresAt: null };
    return (await createKey(app.store, systemClock, await app.store.createAccount(account), request)).text;
  };
  const key = await newKey("gateway@example.com");
  const keys = new Map<string, Promise<string>>();
  const keyOf = (salt: string) => {
    const known = keys.get(salt) ?? newKey(`salt${keys.size}@example.com`);
    keys.set(salt, known);
    return known;
  };

  const contextTokens = () => engine.status("omega").contextTokens;
  const front = createServer((incoming, response) => {
    if (incoming.url === "/health") response.end();
    else if (incoming.url === "/v1/models") {
      response.end(JSON.stringify({ data: [{ id: "omega", max_model_len: contextTokens() }] }));
    } else if (incoming.url === "/tokenize") {
      void answerCount(engine, incoming, response);
    } else void passOn(app, keyOf, incoming, response);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    sottoUrl: `${app.url}/v1`,
    key,
    close: async () => {
      front.closeAllConnections();
      front.close();
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function answerCount(engine: Engine, incoming: IncomingMessage, response: ServerResponse) {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const asked = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
  try {
    const signal = new AbortController().signal;
    const { messages, tooling, reasoningEffort } = parseChatRequest({ ...asked, model: "omega" });
    const generation = generationOf("", { messages, tooling, reasoningEffort });
    const { promptTokens } = await engine.prepare(generation, signal);
    response.end(JSON.stringify({ count: promptTokens }));
  } catch (error) {
    const tooLong = error instanceof ServiceError && error.code === "context_length_exceeded";
    if (tooLong) response.end(JSON.stringify({ count: engine.status("omega").contextTokens + 1 }));
    else response.writeHead(500).end();
  }
}

/** The whole body of a chat, with the account that its salt stands for: the prompt caches of vLLM are apart by it. */
async function passOn(
  app: App,
  keyOf: (salt: string) => Promise<string>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const salt = /"cache_salt":"([^"]+)"/.exec(body.toString())?.[1];
  const { method, url, headers } = incoming;
  const authorization = salt === undefined ? headers.authorization : `Bearer ${await keyOf(salt)}`;
  const outgoing = httpRequest(
    { host: "127.0.0.1", port: app.port, method, path: url, headers: { ...headers, authorization } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    },
  );
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  outgoing.end(body);
}
