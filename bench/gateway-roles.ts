/** The processes of bench/gateway.ts, by the name that is given. Each prints its port, as JSON, when it listens. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { startApp } from "../src/app.js";
import { loadConfig } from "../src/config.js";
import { createKey } from "../src/core/account-keys.js";
import { systemClock } from "../src/core/ports.js";
import { UpstreamEngine } from "../src/engines/upstream/engine.js";

const fragments = 20;
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1731000000,
    model: "omega",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;
const usage = `data: ${JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion.chunk",
  created: 1731000000,
  model: "omega",
  choices: [],
  usage: { prompt_tokens: 20, completion_tokens: fragments, total_tokens: 20 + fragments },
})}\n\n`;

/** Answers at once, but as engines do: each fragment by itself, in a turn of the event loop of its own. */
const engine: RequestListener = (request, response) => {
  request.resume();
  if (request.method !== "POST") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data: [{ id: "omega", max_model_len: 8192 }] }));
    return;
  }
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    let index = 0;
    const next = () => {
      if (index === fragments) return response.end(`${chunk({}, "stop")}${usage}data: [DONE]\n\n`);
      response.write(chunk({ content: ` word${index}` }, null));
      index += 1;
      setImmediate(next);
    };
    next();
  });
};

function bare(url: string): RequestListener {
  const pool = new Pool(new URL(url).origin, { connections: 512 });
  return (request, response) => {
    pool
      .stream(
        {
          method: "POST",
          path: request.url ?? "/",
          headers: { "content-type": "application/json" },
          body: request,
        },
        ({ statusCode, headers }) =>
          response.writeHead(statusCode, { "content-type": headers["content-type"] }),
      )
      .catch(() => response.destroy());
  };
}

async function sotto(url: string, dataDir: string): Promise<{ port: number; key: string }> {
  const config = loadConfig({
    env: {
      SOTTO_DATA_DIR: dataDir,
      SOTTO_PORT: "0",
      SOTTO_LOG_LEVEL: "warn",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
      SOTTO_LIMIT_CONCURRENT_REQUESTS: "100000",
      SOTTO_QUEUE_LENGTH: "10000",
    },
  });
  const upstream = new UpstreamEngine({
    url,
    profile: "openai",
    acceptSharedCache: true,
    maxConcurrent: 512,
    models: config.models,
    cacheSaltSecret: "the secret of a benchmark",
  });
  await upstream.ready(AbortSignal.timeout(10_000));
  const app = await startApp(config, { engine: upstream });
  const email = "bench@example.com";
  const account = await app.store.createAccount({ email, passwordHash: null, role: "user", planId: "free" });
  const request = { name: "bench", models: null, operations: null, expiresAt: null };
  const { text: key } = await createKey(app.store, systemClock, account, request);
  return { port: app.port, key };
}

async function listen(listener: RequestListener): Promise<{ port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

const [role] = process.argv.slice(2);
const { ENGINE = "", DATA = "" } = process.env;
const told =
  role === "engine"
    ? await listen(engine)
    : role === "bare"
      ? await listen(bare(ENGINE))
      : await sotto(ENGINE, DATA);
process.stdout.write(`${JSON.stringify(told)}\n`);
