/** The processes of bench/gateway.ts, by the name that is given. Each prints its port, as JSON, when it listens. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

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

const [role] = process.argv.slice(2);
const told = await listen(role === "engine" ? engine : bare(process.env.ENGINE ?? ""));
process.stdout.write(`${JSON.stringify(told)}\n`);
