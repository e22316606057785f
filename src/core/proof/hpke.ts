/**
 * HPKE (RFC 9180) in base mode, for one suite: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. Names in quotes
 * are those of the RFC.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";

export const suite = { kem: 0x0020, kdf: 0x0001, aead: 0x0002 } as const;
export const keyBytes = 32;
export const tagBytes = 16;
/** In front of each frame, big-endian. */
export const lengthBytes = 4;
const nonceBytes = 12;

/** What PKCS #8 puts in front of the 32 bytes of an X25519 key. */
const pkcs8 = Buffer.from("302e020100300506032b656e04220420", "hex");

export class HpkeKeyPair {
  /** 32 bytes, raw. */
  readonly publicKey: Buffer;
  readonly #privateKey: KeyObject;

  constructor(privateKey: Uint8Array) {
    this.#privateKey = createPrivateKey({
      key: Buffer.concat([pkcs8, privateKey]),
      format: "der",
      type: "pkcs8",
    });
    const { x = "" } = createPublicKey(this.#privateKey).export({ format: "jwk" });
    this.publicKey = Buffer.from(x, "base64url");
  }

  /** "SetupBaseR", for the `info` of the context. Null where the encapsulated key is none that a sender can have. */
  receive(encapsulated: Uint8Array, scheduleContext: Uint8Array): HpkeContext | null {
    const sharedSecret = this.decapsulate(encapsulated);
    return sharedSecret === null ? null : deriveContext(sharedSecret, scheduleContext);
  }

  /** "Decap". */
  decapsulate(encapsulated: Uint8Array): Buffer | null {
    if (encapsulated.length !== keyBytes) return null;
    try {
      const publicKey = x25519PublicKey(encapsulated);
      const dh = diffieHellman({ privateKey: this.#privateKey, publicKey });
      return extractAndExpand(dh, encapsulated, this.publicKey);
    } catch {
      // A point of small order: OpenSSL refuses the shared secret of zeros, as the RFC demands.
      return null;
    }
  }
}

export interface Sender {
  /** For the receiver, who derives the same context from it. */
  encapsulated: Buffer;
  context: HpkeContext;
  /** The next frame, with its length in front. */
  frame: (content: string | Uint8Array) => Buffer;
}

/** "SetupBaseS". */
export function sendTo(publicKey: Uint8Array, scheduleContext: Uint8Array): Sender {
  const own = generateKeyPairSync("x25519");
  const { x = "" } = own.publicKey.export({ format: "jwk" });
  const encapsulated = Buffer.from(x, "base64url");
  const dh = diffieHellman({ privateKey: own.privateKey, publicKey: x25519PublicKey(publicKey) });
  const context = deriveContext(extractAndExpand(dh, encapsulated, publicKey), scheduleContext);
  const cipher = new FrameCipher(context.key, context.baseNonce);
  return { encapsulated, context, frame: (content) => cipher.frame(content) };
}

/** As a JWK, which OpenSSL reads ten times as fast as DER. */
const x25519PublicKey = (raw: Uint8Array): KeyObject =>
  createPublicKey({
    key: { kty: "OKP", crv: "X25519", x: Buffer.from(raw).toString("base64url") },
    format: "jwk",
  });

/** What both sides derive. Frames are numbered from 0 in the order in which they are sealed or opened. */
export interface HpkeContext {
  key: Buffer;
  baseNonce: Buffer;
  exporterSecret: Buffer;
}

/** Of the KEM: the shared secret, from that of X25519 and both public keys. */
function extractAndExpand(dh: Uint8Array, encapsulated: Uint8Array, publicKey: Uint8Array): Buffer {
  const prk = labeledExtract(kemSuite, empty, "eae_prk", dh);
  return labeledExpand(kemSuite, prk, "shared_secret", Buffer.concat([encapsulated, publicKey]), keyBytes);
}

/** "key_schedule_context": the part of the key schedule that depends on `info` only. */
export const scheduleContextOf = (info: Uint8Array): Buffer =>
  Buffer.concat([baseMode, pskIdHash, labeledExtract(hpkeSuite, empty, "info_hash", info)]);

/** "KeySchedule". */
function deriveContext(sharedSecret: Uint8Array, scheduleContext: Uint8Array): HpkeContext {
  const secret = labeledExtract(hpkeSuite, sharedSecret, "secret", empty);
  return {
    key: labeledExpand(hpkeSuite, secret, "key", scheduleContext, keyBytes),
    baseNonce: labeledExpand(hpkeSuite, secret, "base_nonce", scheduleContext, nonceBytes),
    exporterSecret: labeledExpand(hpkeSuite, secret, "exp", scheduleContext, keyBytes),
  };
}

/** "Context.Export". */
export const exportSecret = ({ exporterSecret }: HpkeContext, label: Uint8Array, length: number): Buffer =>
  labeledExpand(hpkeSuite, exporterSecret, "sec", label, length);

export const extract = (salt: Uint8Array, secret: Uint8Array): Buffer => hmac(salt, secret);

/** Of at most one block, 32 bytes. */
export const expand = (prk: Uint8Array, info: Uint8Array, length: number): Buffer =>
  hmac(prk, info, lastBlock).subarray(0, length);

/** One direction of an exchange: AES-256-GCM without additional data, with the frame's number in the nonce. */
export class FrameCipher {
  #number = 0;
  readonly #nonce = Buffer.alloc(nonceBytes);

  constructor(
    private readonly key: Uint8Array,
    private readonly baseNonce: Uint8Array,
  ) {}

  /** Null where it is not the frame that is expected next. That one may still be opened. */
  open(sealed: Buffer): Buffer<ArrayBuffer> | null {
    if (sealed.length < tagBytes) return null;
    const decipher = createDecipheriv("aes-256-gcm", this.key, this.#nextNonce());
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    const opened = decipher.update(sealed.subarray(0, -tagBytes));
    try {
      decipher.final();
    } catch {
      opened.fill(0);
      return null;
    }
    this.#number += 1;
    return opened;
  }

  /** The next frame: the length of what is sealed, in front of it. */
  frame(text: string | Uint8Array): Buffer {
    const length = Buffer.byteLength(text) + tagBytes;
    const frame = Buffer.allocUnsafe(lengthBytes + length);
    frame.writeUInt32BE(length);
    const cipher = createCipheriv("aes-256-gcm", this.key, this.#nextNonce());
    this.#number += 1;
    const sealed = typeof text === "string" ? cipher.update(text, "utf8") : cipher.update(text);
    frame.set(sealed, lengthBytes);
    cipher.final();
    frame.set(cipher.getAuthTag(), lengthBytes + sealed.length);
    return frame;
  }

  #nextNonce(): Buffer {
    this.#nonce.set(this.baseNonce);
    const place = nonceBytes - 6;
    const low = this.#nonce.readUIntBE(place, 6);
    // Six bytes exceed what `^` works on, so it is done by halves.
    const high = Math.floor(low / 0x1000000) ^ Math.floor(this.#number / 0x1000000);
    const rest = (low % 0x1000000) ^ (this.#number % 0x1000000);
    this.#nonce.writeUIntBE(high * 0x1000000 + rest, place, 6);
    return this.#nonce;
  }
}

const empty = Buffer.alloc(0);
const lastBlock = Buffer.from([1]);
const version = Buffer.from("HPKE-v1");
const kemSuite = Buffer.concat([Buffer.from("KEM"), uint16(suite.kem)]);
const hpkeSuite = Buffer.concat([
  Buffer.from("HPKE"),
  uint16(suite.kem),
  uint16(suite.kdf),
  uint16(suite.aead),
]);
const pskIdHash = labeledExtract(hpkeSuite, empty, "psk_id_hash", empty);
const baseMode = Buffer.from([0]);

function labeledExtract(suiteId: Buffer, salt: Uint8Array, label: string, secret: Uint8Array): Buffer {
  return hmac(salt, version, suiteId, Buffer.from(label), secret);
}

function labeledExpand(
  suiteId: Buffer,
  prk: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Buffer {
  const labeled = [uint16(length), version, suiteId, Buffer.from(label), info, lastBlock];
  return hmac(prk, ...labeled).subarray(0, length);
}

function hmac(key: Uint8Array, ...parts: Uint8Array[]): Buffer {
  return createHmac("sha256", key).update(Buffer.concat(parts)).digest();
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
