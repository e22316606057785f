/**
 * Writes the events of a streamed reply, in the format of its API. The headers go out with the first line, so that until
 * then the response can still be an error status. While nothing else is written, a comment is sent at intervals, which
 * every client ignores: it keeps proxies and idle timers from ending a quiet stream.
 *
 * Backpressure: after a write that fills the socket's buffer, the next one waits until the buffer has drained. A
 * client that does not drain it within `stallMs` is disconnected, since it holds a sequence of the engine meanwhile.
 * Reading a little now and then does not help: what counts is the whole buffer. Nor is a steady reader safe if it is
 * much slower than the model: once too much text waits in the engine for it (`ReaderTooSlow`), it is disconnected
 * as well.
 */
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import type { ModelId } from "../../core/models.js";
import type { WireEvent } from "../../protocol/dialect.js";
import { type Exchange, sealHeader } from "../connection/exchange.js";
import type { StreamFormat } from "./stream-format.js";

const headers = {
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * An encrypted frame costs as much as the rest of its write, so those of one stream keep this distance. At up to 250
 * tokens a second each token still arrives by itself.
 */
const frameEveryMs = 4;

export interface EventStreamTimes {
  /** Longest silence before a comment is sent. */
  keepAliveMs: number;
  stallMs: number;
}

/** Whether a comment may open the stream, after which no error can be a status any more. */
type MayOpen = () => boolean;

export class EventStream {
  #opened = false;
  #isWaiting = false;
  /** The chunks of the transfer coding are written here. */
  #isFramed = false;
  #mayOpen: MayOpen;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #exchange: Pick<Exchange, "seal" | "receipt">;
  /** Where the reply is encrypted: what waits for the next frame, and for how long. */
  #held = "";
  #pause: NodeJS.Timeout | undefined;

  constructor(
    private readonly reply: FastifyReply,
    private readonly signal: AbortSignal,
    private readonly times: EventStreamTimes,
    private readonly format: StreamFormat,
    mayOpen: MayOpen,
  ) {
    this.#mayOpen = mayOpen;
    this.#exchange = reply.request.exchange;
    this.#keepAlive = setInterval(() => {
      // A client that does not read what was sent needs no keep-alive.
      if (this.#isWaiting || signal.aborted || !(this.#opened || this.#mayOpen())) return;
      this.#send(format.keepAlive);
    }, times.keepAliveMs);
  }

  /** From now on a comment may open it: the request runs. */
  begin(): void {
    this.#mayOpen = () => true;
    if (!this.#opened) this.#keepAlive.refresh();
  }

  get opened(): boolean {
    return this.#opened;
  }

  /** Returns a promise only when the socket's buffer is full. */
  send(events: readonly WireEvent[]): Promise<void> | undefined {
    if (events.length === 0) return undefined;
    this.signal.throwIfAborted();
    this.#keepAlive.refresh();
    return this.#send(this.format.textOf(events)) ? undefined : this.#drained();
  }

  /** Ends the response after these. Does not wait for the client to read them. */
  end(last: readonly WireEvent[]): void {
    this.close();
    if (!this.#opened) this.#open();
    const text = this.#held + this.format.textOf(last);
    this.#held = "";
    const piece = text === "" ? "" : this.#pieceOf(text);
    const { raw } = this.reply;
    if (!this.#isFramed) raw.end(piece);
    else raw.end(typeof piece === "string" ? piece + lastChunk : Buffer.concat([piece, lastChunkBytes]));
  }

  /** Ends a reply that is complete: where the client wants a receipt, it comes before the last of these. */
  endWithReceipt(last: readonly WireEvent[], model: ModelId | undefined): void {
    const { receipt } = this.#exchange;
    if (receipt === null || model === undefined) {
      this.end(last);
      return;
    }
    const before = this.format.textOf(last.slice(0, -1));
    if (before !== "") this.#send(before);
    else if (!this.#opened) this.#open();
    this.#write(`: sotto-receipt ${receipt.sign(model)}\n\n`);
    this.end(last.slice(-1));
  }

  /** For a client that reads too slowly: closes its connection, as after `stallMs`. */
  cut(): void {
    this.close();
    this.reply.raw.destroy();
  }

  /** Stops the comments. Call it however the stream ended. */
  close(): void {
    clearInterval(this.#keepAlive);
    clearTimeout(this.#pause);
  }

  #send(text: string): boolean {
    if (!this.#opened) this.#open();
    this.#exchange.receipt?.add(text);
    return this.#write(text);
  }

  #write(text: string): boolean {
    const { raw } = this.reply;
    if (this.#exchange.seal === null) return raw.write(this.#pieceOf(text));
    this.#held += text;
    if (this.#pause === undefined) this.#writeHeld();
    return !raw.writableNeedDrain;
  }

  /** What is to be encrypted: the first at once, then what has come in the meantime. */
  #writeHeld(): void {
    this.#pause = undefined;
    if (this.#held === "" || this.signal.aborted) return;
    this.reply.raw.write(this.#pieceOf(this.#held));
    this.#held = "";
    this.#pause = setTimeout(() => this.#writeHeld(), frameEveryMs);
  }

  /** As it goes on the wire. */
  #pieceOf(text: string): string | Buffer {
    const { seal } = this.#exchange;
    if (seal === null) return this.#isFramed ? chunkOf(text) : text;
    const frame = seal.frame(text);
    return this.#isFramed ? chunkOfBytes(frame) : frame;
  }

  async #drained(): Promise<void> {
    const { raw } = this.reply;
    this.#isWaiting = true;
    const stalled = setTimeout(() => raw.destroy(), this.times.stallMs);
    try {
      await once(raw, "drain", { signal: this.signal });
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    } finally {
      this.#isWaiting = false;
      clearTimeout(stalled);
    }
  }

  #open(): void {
    this.#opened = true;
    this.reply.hijack();
    this.reply.headers({ "content-type": this.format.contentType, ...headers });
    const { seal } = this.#exchange;
    if (seal !== null) this.reply.header(sealHeader, seal.nonce);
    const { raw } = this.reply;
    const sent: Record<string, string | number | string[] | undefined> = this.reply.getHeaders();
    raw.writeHead(200, sent);
    // Node would write each chunk in four pieces, and that is most of what an event costs. It decides by the client's
    // version whether there are chunks at all: with HTTP/1.0 the end of the connection ends the reply.
    this.#isFramed = raw.chunkedEncoding;
    raw.chunkedEncoding = false;
  }
}

const lineEnd = Buffer.from("\r\n");
const lastChunk = "0\r\n\r\n";
const lastChunkBytes = Buffer.from(lastChunk);

const chunkOfBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]);

const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
