/**
 * Reads the JSON body of a request. Checks come in the contract's order: what it says it is, how long it says
 * it is, how long it turns out to be, whether it is UTF-8, whether it is JSON.
 *
 * The bytes are counted as they arrive, so a chunked body is held to the limit like any other. Past the limit
 * reading stops at once; linger.ts deals with what the client still sends. A client that waits for
 * `100 Continue` only gets it when its headers are all in order.
 */
import type { ApiReply, ApiRequest } from "../connection/call.js";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ServiceError } from "../../protocol/errors.js";
import { ClientHungUp } from "../connection/exchange.js";
import { headerValues } from "../connection/headers.js";
import { compressedBody, parseJson } from "./json.js";

/** Larger ones are read when they are admitted. */
const smallBytes = 64 * 1024;

/** For bodies that are small by their limit. */
export async function readJson(request: ApiRequest, reply: ApiReply, limitBytes: number): Promise<unknown> {
  return parseJson(await readBody(request, reply, limitBytes, () => Promise.resolve()));
}

/** Waits until a body of up to this many bytes may be read. */
type Admit = (bytes: number) => Promise<void>;

/** `admit` is asked, once, before more than a small body is read. */
export async function readBody(
  request: ApiRequest,
  reply: ApiReply,
  limitBytes: number,
  admit: Admit,
): Promise<Buffer<ArrayBuffer>> {
  const message = request.raw;
  requireJson(message);
  const declared = message.headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (length !== undefined && length > limitBytes) throw tooLarge(limitBytes);
  if (length !== undefined && length > smallBytes) await admit(length);
  if (waitsForContinue(message)) reply.raw.writeContinue();
  const { signal } = request.exchange;
  if (length !== undefined && length <= smallBytes) {
    // Node hands over the headers before it looks at what came behind them.
    await Promise.resolve();
    if (!signal.aborted && hasArrived(message, length)) return takeArrived(message);
  }
  return readBytes(message, limitBytes, signal, length === undefined ? () => admit(limitBytes) : undefined);
}

/** Most small bodies come together with their headers. They need no listeners. */
const hasArrived = (message: IncomingMessage, length: number): boolean =>
  length > 0 && message.readableLength === length && !message.destroyed;

function takeArrived(message: IncomingMessage): Buffer<ArrayBuffer> {
  const bytes = message.read() as Buffer<ArrayBuffer>;
  // Its end is still to come.
  message.resume();
  return bytes;
}

export const waitsForContinue = (message: IncomingMessage): boolean =>
  message.headers.expect?.toLowerCase() === "100-continue";

function requireJson({ rawHeaders }: IncomingMessage): void {
  const isPlain = headerValues(rawHeaders, "content-encoding").every((value) => /^(identity)?$/i.test(value));
  if (!isPlain) throw compressedBody();
  const [contentType = "", second] = headerValues(rawHeaders, "content-type");
  if (second !== undefined || !(contentType === "application/json" || isUtf8Json(contentType))) {
    throw new ServiceError("unsupported_content_type");
  }
}

function isUtf8Json(contentType: string): boolean {
  const [mediaType = "", ...parameters] = contentType.toLowerCase().split(";");
  return (
    mediaType.trim() === "application/json" &&
    parameters.every((parameter) => !/^\s*charset\b/.test(parameter) || isUtf8Charset(parameter))
  );
}

const isUtf8Charset = (parameter: string): boolean =>
  /^\s*charset\s*=\s*(?:utf-?8|"utf-?8")\s*$/.test(parameter);

/**
 * Settles whatever happens, also when the client was gone before the reading began. `onLarge` is waited for when
 * more has arrived than a small body.
 */
export function readBytes(
  message: Readable,
  limitBytes: number,
  signal: AbortSignal,
  onLarge?: () => Promise<void>,
): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isAdmitted = onLarge === undefined;
    const stopReading = () => {
      message.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      signal.removeEventListener("abort", onGone);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limitBytes) fail(tooLarge(limitBytes));
      else if (length > smallBytes && !isAdmitted) waitForAdmission();
    };
    const fail = (error: unknown) => {
      stopReading();
      message.pause();
      reject(error instanceof Error ? error : new ClientHungUp());
    };
    const waitForAdmission = () => {
      isAdmitted = true;
      message.pause();
      onLarge?.().then(() => message.resume(), fail);
    };
    const onEnd = () => {
      stopReading();
      resolve(Buffer.concat(chunks, length));
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
  });
}

const tooLarge = (limitBytes: number): ServiceError =>
  new ServiceError("request_too_large", {
    message: `The request body is larger than this service accepts: at most ${limitBytes} bytes.`,
  });
