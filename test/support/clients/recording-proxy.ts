/** A TCP proxy between client and service that keeps all that passes, as a curious one would. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class RecordingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #recorded: Buffer[] = [];

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on("connection", (client) => this.#accept(client));
  }

  static async start(targetPort: number): Promise<RecordingProxy> {
    const server = createServer({ noDelay: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RecordingProxy(server, targetPort);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Both directions, byte by byte. */
  get record(): string {
    return Buffer.concat(this.#recorded).toString("latin1");
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  #accept(client: Socket): void {
    const service = connect({ port: this.targetPort, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (chunk: Buffer) => {
        this.#recorded.push(chunk);
        to.write(chunk);
      });
      from.on("end", () => to.end()).on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
