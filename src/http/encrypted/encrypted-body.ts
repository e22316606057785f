/**
 * Opens the body of an encrypted request as it arrives: frames of a length (4 bytes, big-endian) and as many bytes of
 * ciphertext. The request does not say which of the service's keys it was encrypted to: the one that opens the first
 * frame. From then on there is a context, and the reply is encrypted, errors included.
 *
 * What is held of a frame counts against the limit of bodies, and so does its declared length. Empty frames cost
 * time and no bytes, so the number of frames is bounded, too.
 */
import { ServiceError } from "../../core/errors.js";
import {
  FrameCipher,
  type HpkeContext,
  lengthBytes,
  scheduleContextOf,
  tagBytes,
} from "../../core/proof/hpke.js";
import type { HpkeKey } from "../../core/proof/hpke-keys.js";
import { tooLarge, type BodyDecoder } from "../bodies/body.js";

const maxFrames = 16_384;
const scheduleContext = scheduleContextOf(Buffer.from("ehbp request"));

export interface OpenedBy {
  key: HpkeKey;
  context: HpkeContext;
}

interface EncryptedBodyOptions {
  encapsulated: Buffer;
  keys: readonly HpkeKey[];
  limitBytes: number;
  /** When the first frame was opened. */
  onOpened: (by: OpenedBy) => void;
  /** Before anything of the body is used. */
  accept: (by: OpenedBy) => Promise<void>;
}

export class EncryptedBody implements BodyDecoder {
  readonly extraBytes = maxFrames * (lengthBytes + tagBytes);
  #opened: (OpenedBy & { cipher: FrameCipher }) | null = null;
  #frames = 0;
  /** Of the next frame, as far as it has arrived. */
  readonly #length = Buffer.alloc(lengthBytes);
  #lengthRead = 0;
  #sealed: Buffer[] = [];
  #sealedRead = 0;
  #frameBytes = 0;
  readonly #plain: Buffer<ArrayBuffer>[] = [];
  #plainBytes = 0;

  constructor(private readonly options: EncryptedBodyOptions) {}

  /** Plain bytes, and those of a frame that is not complete. */
  get length(): number {
    return this.#plainBytes + Math.max(0, Math.min(this.#sealedRead, this.#frameBytes - tagBytes));
  }

  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      at += this.#lengthRead < lengthBytes ? this.#readLength(chunk, at) : this.#readSealed(chunk, at);
    }
  }

  async end(): Promise<Buffer<ArrayBuffer>> {
    if (this.#lengthRead > 0) throw invalidEncryption();
    if (this.#opened !== null) await this.options.accept(this.#opened);
    const [only, ...others] = this.#plain;
    if (only !== undefined && others.length === 0) return only;
    const whole = Buffer.concat(this.#plain, this.#plainBytes);
    this.discard();
    return whole;
  }

  discard(): void {
    for (const piece of this.#plain) piece.fill(0);
  }

  #readLength(chunk: Buffer, at: number): number {
    const count = Math.min(lengthBytes - this.#lengthRead, chunk.length - at);
    chunk.copy(this.#length, this.#lengthRead, at, at + count);
    this.#lengthRead += count;
    if (this.#lengthRead === lengthBytes) this.#beginFrame(this.#length.readUInt32BE());
    return count;
  }

  #beginFrame(bytes: number): void {
    this.#frames += 1;
    if (this.#frames > maxFrames) throw tooManyFrames();
    if (this.#plainBytes + bytes - tagBytes > this.options.limitBytes)
      throw tooLarge(this.options.limitBytes);
    if (bytes > 0 && bytes < tagBytes) throw invalidEncryption();
    this.#frameBytes = bytes;
    // An empty write, to be ignored.
    if (bytes === 0) this.#lengthRead = 0;
  }

  #readSealed(chunk: Buffer, at: number): number {
    const count = Math.min(this.#frameBytes - this.#sealedRead, chunk.length - at);
    this.#sealed.push(chunk.subarray(at, at + count));
    this.#sealedRead += count;
    if (this.#sealedRead === this.#frameBytes) this.#endFrame();
    return count;
  }

  #endFrame(): void {
    const [only, ...others] = this.#sealed;
    const sealed = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#sealed);
    this.#sealed = [];
    this.#sealedRead = 0;
    this.#frameBytes = 0;
    this.#lengthRead = 0;
    const plain = this.#opened === null ? this.#openFirst(sealed) : this.#opened.cipher.open(sealed);
    if (plain === null) throw invalidEncryption();
    this.#plain.push(plain);
    this.#plainBytes += plain.length;
  }

  /** Which cause it was is not said: that a key is stale, or that the bytes were changed. */
  #openFirst(sealed: Buffer): Buffer<ArrayBuffer> {
    for (const key of this.options.keys) {
      const context = key.pair.receive(this.options.encapsulated, scheduleContext);
      if (context === null) continue;
      const cipher = new FrameCipher(context.key, context.baseNonce);
      const plain = cipher.open(sealed);
      if (plain === null) continue;
      this.#opened = { key, context, cipher };
      this.options.onOpened(this.#opened);
      return plain;
    }
    throw new ServiceError("encryption_key_mismatch");
  }
}

const invalidEncryption = (): ServiceError => new ServiceError("invalid_encryption");

const tooManyFrames = (): ServiceError =>
  new ServiceError("invalid_encryption", {
    message: `The encrypted request body has too many frames: at most ${maxFrames}. Send larger ones.`,
  });
