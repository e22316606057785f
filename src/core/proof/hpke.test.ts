import { randomBytes, type webcrypto } from "node:crypto";
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { expect, it } from "vitest";
import { exportSecret, FrameCipher, HpkeKeyPair, lengthBytes, scheduleContextOf } from "./hpke.js";

declare global {
  // As @hpke/core names it; without the types of a browser there is none.
  type CryptoKey = webcrypto.CryptoKey;
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const info = Buffer.from("some info");
const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** Appendix A.1.1 of RFC 9180: its KEM is the same in every suite with X25519. */
const vector = {
  skRm: hex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"),
  pkRm: "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
  enc: hex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"),
  sharedSecret: "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc",
};

it("decapsulates as the RFC's test vector says", () => {
  const pair = new HpkeKeyPair(vector.skRm);
  expect(pair.publicKey.toString("hex")).toBe(vector.pkRm);
  expect(pair.decapsulate(vector.enc)?.toString("hex")).toBe(vector.sharedSecret);
});

it("opens what @hpke/core seals, frame by frame, and exports the same secret", async () => {
  const pair = new HpkeKeyPair(randomBytes(32));
  const recipientPublicKey = await suite.kem.deserializePublicKey(arrayOf(pair.publicKey));
  const sender = await suite.createSenderContext({ recipientPublicKey, info: arrayOf(info) });
  const context = pair.receive(new Uint8Array(sender.enc), scheduleContextOf(info));
  if (context === null) throw new Error("It was not received.");
  const opener = new FrameCipher(context.key, context.baseNonce);
  // More than one byte's worth of numbers.
  for (let number = 0; number < 300; number++) {
    const sealed = Buffer.from(await sender.seal(arrayOf(Buffer.from(`frame ${number}`))));
    expect(opener.open(sealed)?.toString()).toBe(`frame ${number}`);
  }
  const label = Buffer.from("ehbp response");
  const exported = Buffer.from(await sender.export(arrayOf(label), 32));
  expect(exportSecret(context, label, 32)).toEqual(exported);
});

it("opens a frame only in its place, whole and unchanged", () => {
  const [key, nonce] = [randomBytes(32), randomBytes(12)];
  const sealer = new FrameCipher(key, nonce);
  const [first, second] = ["one", "two"].map((text) => sealer.frame(text).subarray(lengthBytes));
  if (first === undefined || second === undefined) throw new Error("There are two.");
  const opener = new FrameCipher(key, nonce);
  expect(opener.open(second)).toBeNull();
  expect(opener.open(first.subarray(0, -1))).toBeNull();
  expect(opener.open(Buffer.alloc(15))).toBeNull();
  const changed = Buffer.from(first);
  changed[0] = (changed[0] ?? 0) ^ 1;
  expect(opener.open(changed)).toBeNull();
  expect(opener.open(first)?.toString()).toBe("one");
  expect(opener.open(first)).toBeNull();
  expect(opener.open(second)?.toString()).toBe("two");
});

it("receives nothing from a point of small order, or a key of another length", () => {
  const pair = new HpkeKeyPair(randomBytes(32));
  const one = Buffer.alloc(32);
  one[0] = 1;
  for (const encapsulated of [Buffer.alloc(32), one, Buffer.alloc(31), Buffer.alloc(33), Buffer.alloc(0)]) {
    expect(pair.receive(encapsulated, scheduleContextOf(info))).toBeNull();
  }
});

const arrayOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
