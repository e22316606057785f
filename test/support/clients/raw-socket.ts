/** A TCP connection that sends what it is told, for requests that no HTTP client would make. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "../eventually.js";

export class RawSocket {
  received = "";
  closed = false;
  readonly socket: Socket;

  private constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => {
      this.received += text;
    });
    // A reset counts as closed; what was received before it is what matters.
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.closed = true;
    });
  }

  static async open(port: number): Promise<RawSocket> {
    const raw = new RawSocket(port);
    await once(raw.socket, "connect");
    return raw;
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join("\r\n"));
  }

  async untilReceived(pattern: RegExp, deadlineMs?: number): Promise<string> {
    return eventually(() => (pattern.test(this.received) ? this.received : undefined), deadlineMs);
  }

  async untilClosed(deadlineMs?: number): Promise<string> {
    await eventually(() => this.closed, deadlineMs);
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The responses in what a socket received, for bodies with a Content-Length. */
export function splitResponses(text: string): { status: number; headers: string; body: string }[] {
  const responses = [];
  let rest = text;
  while (rest !== "") {
    const [headers = "", ...after] = rest.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
    const body = after.join("\r\n\r\n");
    responses.push({
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1]),
      headers: headers.toLowerCase(),
      body: body.slice(0, length),
    });
    rest = body.slice(length);
  }
  return responses;
}
