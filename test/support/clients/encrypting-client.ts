/** A client of encrypted bodies on node:crypto, for what the published one does not do: odd frames, many requests. */
import { exportSecret, scheduleContextOf, sendTo } from "../../../src/core/proof/hpke.js";
import { replyCipher } from "../../../src/http/encrypted/reply-seal.js";

const scheduleContext = scheduleContextOf(Buffer.from("ehbp request"));

export interface SealedRequest {
  /** In hexadecimal, for its header. */
  encapsulated: string;
  /** Each sealed, with its length in front. */
  frames: Buffer[];
  openReply(nonce: string, body: Buffer): string;
}

export function sealRequest(publicKey: Uint8Array, pieces: readonly (string | Uint8Array)[]): SealedRequest {
  const { encapsulated: enc, context, frame } = sendTo(publicKey, scheduleContext);
  const frames = pieces.map(frame);
  return {
    encapsulated: enc.toString("hex"),
    frames,
    openReply: (nonce, body) => {
      const secret = exportSecret(context, Buffer.from("ehbp response"), 32);
      const opener = replyCipher(secret, enc, Buffer.from(nonce, "hex"));
      return framesIn(body)
        .map((frame) => opener.open(frame) ?? unreadable())
        .join("");
    },
  };
}

/** Without their lengths. */
export function framesIn(body: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const length = body.readUInt32BE(at);
    frames.push(body.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}

function unreadable(): never {
  throw new Error("A frame of the reply cannot be opened.");
}

/** The first key in a key configuration. */
const publicKeyIn = (configuration: Uint8Array): Buffer => Buffer.from(configuration.subarray(3, 35));

export async function fetchPublicKey(url: string): Promise<Buffer> {
  const response = await fetch(`${url}/.well-known/hpke-keys`);
  return publicKeyIn(new Uint8Array(await response.arrayBuffer()));
}

export interface EncryptedAnswer {
  status: number;
  headers: Headers;
  /** Opened, where it was encrypted. */
  text: string;
  wasEncrypted: boolean;
  /** As it was sent. */
  raw: Buffer;
}

export interface EncryptedPost {
  url: string;
  key: string;
  path?: string;
  /** Sealed in this many frames. */
  frames?: number;
  headers?: Record<string, string>;
}

/** Fetches the key, unless given, and sends one request. */
export async function postEncrypted(
  { url, key, path = "/v1/chat/completions", frames = 1, headers = {} }: EncryptedPost,
  body: unknown,
  publicKey?: Uint8Array,
): Promise<EncryptedAnswer> {
  const text = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const size = Math.ceil(text.length / frames);
  const pieces = Array.from({ length: frames }, (_, index) =>
    text.subarray(index * size, (index + 1) * size),
  );
  const sealed = sealRequest(publicKey ?? (await fetchPublicKey(url)), pieces);
  return postSealed({ url, key, path, headers }, sealed, Buffer.concat(sealed.frames));
}

export async function postSealed(
  { url, key, path = "/v1/chat/completions", headers = {} }: EncryptedPost,
  sealed: Pick<SealedRequest, "encapsulated" | "openReply">,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<EncryptedAnswer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "ehbp-encapsulated-key": sealed.encapsulated,
      ...headers,
    },
    body: bytes,
  });
  const raw = Buffer.from(await response.arrayBuffer());
  const nonce = response.headers.get("ehbp-response-nonce");
  const text = nonce === null ? raw.toString() : sealed.openReply(nonce, raw);
  return { status: response.status, headers: response.headers, text, wasEncrypted: nonce !== null, raw };
}
