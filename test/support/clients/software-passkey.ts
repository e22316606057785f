/** An authenticator in software: what a browser would answer, of one passkey, without a browser. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

interface Options {
  challenge: string;
  user?: { id: string };
}

export class SoftwarePasskey {
  readonly id = randomBytes(32).toString("base64url");
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle = "";
  counter = 0;
  /** Asks for a PIN, a finger or a face. */
  verifiesUser = true;

  constructor(
    public origin: string,
    public rpId = "localhost",
  ) {
    ({ privateKey: this.#privateKey, publicKey: this.#publicKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
    }));
  }

  create({ challenge, user }: Options) {
    this.#userHandle = user?.id ?? "";
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    const coseKey = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
    const id = Buffer.from(this.id, "base64url");
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
    const data = this.#authenticatorData(0x40, credential);
    // A CBOR map of three: fmt "none", attStmt {}, authData.
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a06861757468446174615900", "hex"),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData("webauthn.create", challenge).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  answer({ challenge }: Options) {
    this.counter += 1;
    const clientData = this.#clientData("webauthn.get", challenge);
    const data = this.#authenticatorData(0);
    const signed = Buffer.concat([data, createHash("sha256").update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
      userHandle: this.#userHandle,
    });
  }

  #answer<Response>(response: Response) {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response } as const;
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  #authenticatorData(flags: number, credential: Buffer = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const isPresent = 0x01;
    const isVerified = this.verifiesUser ? 0x04 : 0;
    return Buffer.concat([
      createHash("sha256").update(this.rpId).digest(),
      Buffer.from([flags | isPresent | isVerified]),
      count,
      credential,
    ]);
  }
}
