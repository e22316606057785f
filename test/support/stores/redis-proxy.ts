/**
 * What stands before a Redis in many installations: a TCP proxy or balancer. It accepts connections whether or not
 * anything answers behind it.
 */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class RedisProxy {
  readonly #sockets = new Set<Socket>();
  /** How many connections. */
  accepted = 0;
  #isResetting = false;
  #delayMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private readonly targetPort: number,
  ) {
    server.on("connection", (client) => this.#accept(client));
  }

  static async start(targetPort: number): Promise<RedisProxy> {
    const server = createServer({ noDelay: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RedisProxy(server, (server.address() as AddressInfo).port, targetPort);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Resets every connection, and from now on those that it accepts. */
  reset(): void {
    this.#isResetting = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** What Redis answers arrives so much later. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  pass(): void {
    this.#isResetting = false;
    this.#delayMs = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    this.#keep(client);
    if (this.#isResetting) {
      // After the client has sent something: it has a connection until then.
      client.once("data", () => client.resetAndDestroy());
      return;
    }
    const target = connect({ port: this.targetPort, host: "127.0.0.1", noDelay: true });
    this.#keep(target);
    client.on("data", (bytes) => target.write(bytes));
    target.on("data", (bytes) => {
      if (this.#delayMs === 0) client.write(bytes);
      else setTimeout(() => client.write(bytes), this.#delayMs).unref();
    });
    target.on("close", () => client.resetAndDestroy());
    client.on("close", () => target.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
