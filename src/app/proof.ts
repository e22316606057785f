/**
 * What lets users check the service: its sealed secrets and the key that signs. An installation whose secrets were
 * sealed under another service key serves without all that, rather than not at all.
 */
import { readServiceKey } from "../adapters/service-key.js";
import type { ModelId } from "../core/models.js";
import { SealedElsewhere, SealedSettings, settingsInMemory } from "../core/proof/sealed-settings.js";
import { openSigner, type Signer } from "../core/proof/signer.js";
import type { Context } from "./overrides.js";
import type { Storage } from "./storage.js";

export interface ReceiptFacts {
  /** SHA-256 of the file that computes the model's replies; null where there is no single one, or it is not known. */
  weights: string | null;
  /** Digest of the statement in force. */
  statement: string | null;
}

export interface Proof {
  /** Null where they were sealed under another service key. */
  readonly sealed: SealedSettings | null;
  readonly signer: () => Signer | null;
  readonly facts: (model: ModelId) => ReceiptFacts;
  /** The public key for encrypted bodies, in hexadecimal. */
  hpkeKey: () => string | null;
}

export async function openProof({ config, overrides, log }: Context, { store }: Storage): Promise<Proof> {
  const { proofKeys, secretKey, dataDir } = config.service;
  const facts = () => ({ weights: null, statement: null });
  const sealed = new SealedSettings(
    proofKeys === "memory" ? settingsInMemory() : store,
    readServiceKey(secretKey, dataDir),
  );
  try {
    const signer = await openSigner(sealed);
    return { sealed, signer: () => signer, facts, hpkeKey: () => null };
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    log.warn("secrets sealed under another service key");
    overrides.onNotice?.(`${error.message} Until then it serves without receipts and encrypted bodies.`);
    return { sealed: null, signer: () => null, facts, hpkeKey: () => null };
  }
}
