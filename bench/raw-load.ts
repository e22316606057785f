/** Load over plain sockets, which costs a tenth of an HTTP client: the load must not be slower than what it measures. */
import { connect } from "node:net";

export interface RawLoad {
  port: number;
  key: string;
  connections: number;
  seconds: number;
  stream: boolean;
}

export interface RawResult {
  /** Of each request, in milliseconds. */
  times: number[];
  failures: number;
  seconds: number;
}

/** Closed loop: every connection sends its next request as soon as it has the response. */
export async function rawLoad({ port, key, connections, seconds, stream }: RawLoad): Promise<RawResult> {
  const body = JSON.stringify({
    model: "omega",
    messages: [{ role: "user", content: "Tell me something about the sea, in a few sentences." }],
    max_tokens: 200,
    stream,
  });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}`;
  const request = `${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const result: RawResult = { times: [], failures: 0, seconds: 0 };
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
      let [text, sentAt] = ["", 0];
      const send = () => {
        if (performance.now() >= endsAt) return void socket.destroy();
        [text, sentAt] = ["", performance.now()];
        socket.write(request);
      };
      socket.on("connect", send).on("error", reject).on("close", resolve);
      socket.on("data", (part: string) => {
        text += part;
        if (!isWhole(text)) return;
        result.times.push(performance.now() - sentAt);
        if (!text.startsWith("HTTP/1.1 200") || !text.includes("word19")) result.failures += 1;
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, run));
  result.seconds = (performance.now() - startedAt) / 1000;
  return result;
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length >= headEnd + 4 + Number(length);
}
