/**
 * Reads the JSON body of a request. Checks come in the contract's order: what it says it is, how long it says
 * it is, how long it turns out to be, whether it is UTF-8, whether it is JSON.
 *
 * The bytes are counted as they arrive, so a chunked body is held to the limit like any other. Past the limit
 * reading stops at once; linger.ts deals with what the client still sends. A client that waits for
 * `100 Continue` only gets it when its headers are all in order.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ServiceError } from "../../core/errors.js";
import { isOllamaPath } from "../../protocol/ollama/paths.js";
import { ClientHungUp } from "../connection/exchange.js";
import { headerValues, waitsForContinue } from "../connection/headers.js";
import { compressedBody, parseJson } from "./json.js";
import type { LargeBody } from "./large-body.js";

/** Larger ones are read when they are admitted. */
const smallBytes = 64 * 1024;

/** For bodies that are small by their limit. */
export async function readJson(
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number,
): Promise<unknown> {
  const bytes = await readBody(request, reply, limitBytes);
  try {
    return parseJson(bytes);
  } finally {
    bytes.fill(0);
  }
}

/** At least so many bytes of a large body must arrive in each interval, unless it waits for us. */
export interface Pace {
  everyMs: number;
  bytes: number;
}

/** Where the bytes of a body go as they arrive. */
export interface BodySink {
  /** Of the body itself, as far as it has arrived. */
  readonly length: number;
  add(chunk: Buffer): void;
  end(): Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>>;
  /** Overwrites what has arrived, instead of `end`. */
  discard(): void;
}

/** For a body that is sent in another form than it is read in. Throws the error to answer with. */
export interface BodyDecoder extends BodySink {
  /** By how much what is sent may exceed the body. */
  readonly extraBytes: number;
}

export interface BodyDecoding {
  /** Null for a body that is sent as it is. Throws where it may not be. */
  begin(request: FastifyRequest, limitBytes: number): Promise<BodyDecoder> | null;
}

export interface ReadBodyOptions {
  /** Asked before more than a small body is read. Without it, all of it is read at once. */
  large?: LargeBody;
  pace?: Pace;
  decoding?: BodyDecoding | undefined;
}

export async function readBody(
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number,
  { large, pace, decoding }: ReadBodyOptions = {},
): Promise<Buffer<ArrayBuffer>> {
  const message = request.raw;
  requireJson(message);
  const beginning = decoding?.begin(request, limitBytes) ?? null;
  const decoder = beginning === null ? null : await beginning;
  const declared = message.headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (length !== undefined && length > limitBytes + (decoder?.extraBytes ?? 0)) throw tooLarge(limitBytes);
  if (length !== undefined && length > smallBytes) await large?.admit(Math.min(length, limitBytes));
  if (waitsForContinue(message)) reply.raw.writeContinue();
  if (length !== undefined && length <= smallBytes) {
    // Node hands over the headers before it looks at what came behind them.
    await Promise.resolve();
    if (hasArrived(message, length)) {
      const bytes = takeArrived(message);
      if (decoder === null) return bytes;
      decoder.add(bytes);
      return decoder.end();
    }
  }
  const onArrived = (bytes: number): Promise<void> | undefined => {
    if (large === undefined || (bytes <= smallBytes && !large.isAdmitted)) return undefined;
    if (large.isAdmitted) return large.arrived(bytes);
    return large.admit().then(() => large.arrived(bytes));
  };
  const isTooSlow = (bytes: number): ServiceError | null => {
    if (pace === undefined || large?.isAdmitted !== true || bytes >= pace.bytes) return null;
    // What is still to come would take as long again.
    reply.header("connection", "close");
    return tooSlow(pace);
  };
  const everyMs = pace?.everyMs;
  return readBytes(
    message,
    limitBytes,
    request.exchange.signal,
    { onArrived, isTooSlow, everyMs },
    decoder ?? new PlainBody(),
  );
}

class PlainBody implements BodySink {
  length = 0;
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.length += chunk.length;
    this.#chunks.push(chunk);
  }

  end(): Buffer<ArrayBuffer> {
    const whole = Buffer.concat(this.#chunks, this.length);
    this.discard();
    return whole;
  }

  discard(): void {
    for (const chunk of this.#chunks) chunk.fill(0);
  }
}

/**
 * Most small bodies come together with their headers. Taking them without listeners saves a tenth of a request's
 * time.
 */
const hasArrived = (message: IncomingMessage, length: number): boolean =>
  length > 0 && message.readableLength === length && !message.destroyed;

function takeArrived(message: IncomingMessage): Buffer<ArrayBuffer> {
  const bytes = message.read() as Buffer<ArrayBuffer>;
  // Its end is still to come.
  message.resume();
  return bytes;
}

function requireJson({ rawHeaders, url = "" }: IncomingMessage): void {
  const isPlain = headerValues(rawHeaders, "content-encoding").every((value) => /^(identity)?$/i.test(value));
  if (!isPlain) throw compressedBody();
  const [contentType = "", second] = headerValues(rawHeaders, "content-type");
  const isJson = contentType === "application/json" || isUtf8Json(contentType);
  if (second !== undefined || !(isJson || (isOllamaPath(url) && typesOfOllama.includes(contentType)))) {
    throw new ServiceError("unsupported_content_type");
  }
}

/** Ollama reads any type as JSON, and its documentation uses curl without one. */
const typesOfOllama = ["", "application/x-www-form-urlencoded"];

function isUtf8Json(contentType: string): boolean {
  const [mediaType = "", ...parameters] = contentType.toLowerCase().split(";");
  return (
    mediaType.trim() === "application/json" &&
    parameters.every((parameter) => !/^\s*charset\b/.test(parameter) || isUtf8Charset(parameter))
  );
}

const isUtf8Charset = (parameter: string): boolean =>
  /^\s*charset\s*=\s*(?:utf-?8|"utf-?8")\s*$/.test(parameter);

interface Following {
  /** Called with all that has arrived so far. What it returns is waited for before more is read. */
  onArrived?: (bytes: number) => Promise<void> | undefined;
  /** Called in intervals with what arrived since the last one. */
  isTooSlow?: (bytes: number) => ServiceError | null;
  everyMs?: number | undefined;
}

/** Settles whatever happens, also when the client was gone before the reading began. */
export function readBytes(
  message: Readable,
  limitBytes: number,
  signal: AbortSignal,
  { onArrived, isTooSlow, everyMs }: Following = {},
  body: BodySink = new PlainBody(),
): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    let lengthBefore = 0;
    let waitedForUs = false;
    let wait: Promise<void> | undefined;
    let pacing: NodeJS.Timeout | undefined;
    const stopReading = () => {
      clearInterval(pacing);
      message.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      signal.removeEventListener("abort", onGone);
    };
    const onData = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      if (body.length > limitBytes) {
        fail(tooLarge(limitBytes));
        return;
      }
      wait = onArrived?.(body.length);
      if (wait === undefined) return;
      waitedForUs = true;
      message.pause();
      wait.then(() => {
        wait = undefined;
        message.resume();
      }, fail);
    };
    const onInterval = () => {
      const error = waitedForUs ? null : isTooSlow?.(body.length - lengthBefore);
      waitedForUs = wait !== undefined;
      lengthBefore = body.length;
      if (error != null) fail(error);
    };
    const fail = (error: unknown) => {
      stopReading();
      message.pause();
      body.discard();
      reject(error instanceof Error ? error : new ClientHungUp());
    };
    const onEnd = () => {
      stopReading();
      resolve(body.end());
    };
    const onGone = () => {
      fail(signal.reason);
    };
    // Events that were emitted already are not emitted again.
    if (signal.aborted || message.destroyed) {
      onGone();
      return;
    }
    message.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    signal.addEventListener("abort", onGone, { once: true });
    if (everyMs !== undefined) pacing = setInterval(onInterval, everyMs).unref();
  });
}

const tooSlow = ({ bytes, everyMs }: Pace): ServiceError =>
  new ServiceError("invalid_value", {
    message:
      `The request body arrived too slowly: at least ${bytes} bytes are expected every ${everyMs / 1000} seconds. ` +
      "Send the request again over a faster connection.",
  });

export const tooLarge = (limitBytes: number, counted = "bytes"): ServiceError =>
  new ServiceError("request_too_large", {
    message: `The request body is larger than this service accepts: at most ${limitBytes} ${counted}.`,
  });
