/**
 * The processes of bench/gateway.ts and bench/processes.ts, by the name that is given. Each prints its port, as JSON, when it listens. The
 * engine is several processes if there are enough cores: a single one would be slower than the contenders.
 */
import cluster from "node:cluster";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { rawLoad, type RawLoad } from "./raw-load.js";

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

/** Answers immediately, but as engines do: each fragment by itself, in its own turn of the event loop. */
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

async function listen(listener: RequestListener): Promise<{ port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

/** One for the contender and one for the load are left. */
const engineProcesses = Math.max(1, Math.min(8, availableParallelism() - 2));

async function startEngines(): Promise<{ port: number }> {
  const started = Array.from({ length: engineProcesses }, async () => {
    const [address] = (await once(cluster.fork(), "listening")) as [{ port: number }];
    return { port: address.port };
  });
  const [first] = await Promise.all(started);
  if (first === undefined) throw new Error("No engine has started.");
  return first;
}

const [role, given = ""] = process.argv.slice(2);
if (role === "load") process.stdout.write(JSON.stringify(await rawLoad(JSON.parse(given) as RawLoad)));
else if (role === "bare") tell(await listen(bare(process.env.ENGINE ?? "")));
else if (cluster.isPrimary) tell(await startEngines());
else await listen(engine);

function tell(listening: { port: number }): void {
  process.stdout.write(`${JSON.stringify(listening)}\n`);
}
