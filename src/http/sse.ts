/**
 * Writes server-sent events. The headers go out with the first line, so that until then the answer can still
 * be a status. A client that reads slowly is waited for; one that does not read at all for `stallMs` is cut
 * off, since it holds a sequence of the engine meanwhile.
 */
import { once } from "node:events";
import type { FastifyReply } from "fastify";

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class EventStream {
  #opened = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly signal: AbortSignal,
    private readonly stallMs: number,
  ) {}

  get opened(): boolean {
    return this.#opened;
  }

  async data(json: object | "[DONE]"): Promise<void> {
    await this.#write(`data: ${typeof json === "string" ? json : JSON.stringify(json)}\n\n`);
  }

  /** Ignored by every client; keeps proxies and idle timers from ending a quiet stream. */
  async keepAlive(): Promise<void> {
    await this.#write(": keep-alive\n\n");
  }

  /** Ends the response, after `last` if given. Waits for nobody. */
  end(last?: object): void {
    if (last === undefined) this.reply.raw.end();
    else this.reply.raw.end(`data: ${JSON.stringify(last)}\n\n`);
  }

  async #write(text: string): Promise<void> {
    this.signal.throwIfAborted();
    if (!this.#opened) this.#open();
    if (this.reply.raw.write(text)) return;
    const { raw } = this.reply;
    const stalled = setTimeout(() => raw.destroy(), this.stallMs);
    try {
      await once(raw, "drain", { signal: this.signal });
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(stalled);
    }
  }

  #open(): void {
    this.#opened = true;
    this.reply.hijack();
    this.reply.headers(headers);
    for (const [name, value] of Object.entries(this.reply.getHeaders())) {
      if (value !== undefined) this.reply.raw.setHeader(name, value);
    }
    this.reply.raw.writeHead(200);
  }
}
