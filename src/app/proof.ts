/**
 * What lets users check the service: its sealed secrets, the key that signs, and the log of signed statements. An
 * installation whose secrets were sealed under another service key serves without all that, rather than not at all.
 */
import { readServiceKey } from "../adapters/service-key.js";
import type { ModelId } from "../core/models.js";
import { SealedElsewhere, SealedSettings, settingsInMemory } from "../core/proof/sealed-settings.js";
import { openSigner, type Signer } from "../core/proof/signer.js";
import type { Statements } from "../core/proof/statements.js";
import { SealedSummaries } from "../core/serving/sealed-summaries.js";
import type { Engines } from "./engines.js";
import type { IssuedStatements } from "./issued-statements.js";
import type { Context } from "./overrides.js";
import type { Storage } from "./storage.js";

export async function openProof(context: Context, { store }: Storage): Promise<Proof> {
  const { config, overrides, log } = context;
  const { proofKeys, secretKey, dataDir } = config.service;
  const serviceKey = readServiceKey(secretKey, dataDir);
  const vault = new SealedSettings(store, serviceKey);
  const sealed = proofKeys === "memory" ? new SealedSettings(settingsInMemory(), serviceKey) : vault;
  const summaries = new SealedSummaries(serviceKey);
  try {
    return new Proof(context, store, vault, summaries, { sealed, signer: await openSigner(sealed) });
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    log.warn("secrets sealed under another service key");
    overrides.onNotice?.(
      `${error.message} Until then it serves without statements, receipts and encrypted bodies.`,
    );
    return new Proof(context, store, vault, summaries, null);
  }
}

export class Proof {
  /** Null where they were sealed under another service key. */
  readonly sealed: SealedSettings | null;
  /** The public key for encrypted bodies, in hexadecimal. Set before `start`. */
  hpkeKey: () => string | null = () => null;
  #issued: IssuedStatements | null = null;

  constructor(
    private readonly context: Context,
    private readonly store: Storage["store"],
    /** Secrets that admins enter: in the database wherever the keys of statements are. */
    readonly vault: SealedSettings,
    /** Needs the service key alone. */
    readonly summaries: SealedSummaries,
    private readonly opened: { sealed: SealedSettings; signer: Signer } | null,
  ) {
    this.sealed = opened?.sealed ?? null;
  }

  /** The key that signs now. It may be replaced while the server runs. */
  readonly signer = (): Signer | null => this.statements()?.signer ?? this.opened?.signer ?? null;

  /** Null where there are none, and for a moment after the start. */
  readonly statements = (): Statements | null => this.#issued?.statements ?? null;

  /**
   * For receipts: SHA-256 of the file that computes the model's replies, null where there is no single one or it is not
   * known, and of the statement.
   */
  readonly facts = (model: ModelId): { weights: string | null; statement: string | null } => {
    const statements = this.statements();
    const parts = statements?.current?.models[model] ?? [];
    const [part] = parts;
    const isKnown = parts.length === 1 && part?.runs === "embedded";
    return { weights: isKnown ? part.weights : null, statement: statements?.currentDigest ?? null };
  };

  /** Something that the statement says has changed. */
  look(): void {
    void this.statements()?.look();
  }

  /** Begins to issue statements, in the background. */
  start(engines: Engines): void {
    const { context, store, sealed } = this;
    if (sealed === null) return;
    const started = import("./issued-statements.js").then(({ IssuedStatements: Issued }) => {
      this.#issued = new Issued({ context, store, sealed, engines, hpkeKey: () => this.hpkeKey() });
    });
    started.catch((error: unknown) => context.log.unexpected(error));
    context.closers.add({
      close: async () => {
        await started.catch(() => undefined);
        await this.#issued?.close();
      },
    });
  }
}
