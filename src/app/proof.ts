/**
 * What lets users check the service: its sealed secrets, the key that signs, and the log of signed statements. An
 * installation whose secrets were sealed under another service key serves without all that, rather than not at all.
 */
import { memoryOnDisk } from "../adapters/memory-on-disk.js";
import { installedProgram, type InstalledProgram } from "../adapters/program-digest.js";
import { packageVersion } from "../adapters/program-files.js";
import { readServiceKey } from "../adapters/service-key.js";
import { forEachModel, type ModelId, modelIds } from "../core/models.js";
import { signerInForce } from "../core/proof/rotate-signer.js";
import { SealedElsewhere, SealedSettings, settingsInMemory } from "../core/proof/sealed-settings.js";
import { openSigner, type Signer } from "../core/proof/signer.js";
import type { ModelPart, OnOff, StatementFacts } from "../core/proof/statement.js";
import { StatementLog, type Loss } from "../core/proof/statement-log.js";
import { Statements } from "../core/proof/statements.js";
import { StoreUnavailable } from "../core/store.js";
import { causeOf } from "../log.js";
import { weightsLabel } from "../models/shown-weights.js";
import { WeightsDigests } from "../models/weights-digests.js";
import { logHeadFile } from "../store/log-head-file.js";
import type { Engines, ServingPart } from "./engines.js";
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
  /** The key that signs now. It may be replaced while the server runs. */
  readonly signer: () => Signer | null;
  readonly statements: () => Statements | null;
  readonly facts: (model: ModelId) => ReceiptFacts;
  /** The public key for encrypted bodies, in hexadecimal. Set before `start`. */
  hpkeKey: () => string | null;
  /** Begins to issue statements, in the background. */
  start(engines: Engines): void;
}

export async function openProof(context: Context, { store }: Storage): Promise<Proof> {
  const { config, overrides, log } = context;
  const { proofKeys, secretKey, dataDir } = config.service;
  const sealed = new SealedSettings(
    proofKeys === "memory" ? settingsInMemory() : store,
    readServiceKey(secretKey, dataDir),
  );
  try {
    return new OpenProof(context, store, sealed, await openSigner(sealed));
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    log.warn("secrets sealed under another service key");
    overrides.onNotice?.(
      `${error.message} Until then it serves without statements, receipts and encrypted bodies.`,
    );
    return noProof;
  }
}

const noProof: Proof = {
  sealed: null,
  signer: () => null,
  statements: () => null,
  facts: () => ({ weights: null, statement: null }),
  hpkeKey: () => null,
  start: () => undefined,
};

class OpenProof implements Proof {
  hpkeKey: () => string | null = () => null;
  #statements: Statements | null = null;
  #program: Promise<InstalledProgram> | undefined;

  constructor(
    private readonly context: Context,
    private readonly store: Storage["store"],
    readonly sealed: SealedSettings,
    private readonly first: Signer,
  ) {}

  readonly signer = (): Signer => this.#statements?.signer ?? this.first;

  readonly statements = (): Statements | null => this.#statements;

  readonly facts = (model: ModelId): ReceiptFacts => {
    const parts = this.#statements?.current?.models[model] ?? [];
    const [part] = parts;
    const isKnown = parts.length === 1 && part?.runs === "embedded";
    return { weights: isKnown ? part.weights : null, statement: this.#statements?.currentDigest ?? null };
  };

  start(engines: Engines): void {
    const { config, clock, log: lines, closers } = this.context;
    const digests = closers.add(new WeightsDigests(this.store, () => void statements.look()));
    const log = new StatementLog(this.store.statementLog, logHeadFile(config.service.dataDir), clock);
    const statements = closers.add(
      new Statements({
        log,
        clock,
        facts: () => this.#factsNow(engines, digests),
        hpkeKey: () => this.hpkeKey(),
        signer: (inForce) => signerInForce(this.sealed, inForce),
        onLoss: (loss) => this.#tellLoss(loss),
        onError: (error) => {
          if (error instanceof StoreUnavailable)
            lines.warn("statement not renewed", { cause: causeOf(error) });
          else lines.unexpected(error);
        },
      }),
    );
    this.#statements = statements;
    void statements.look();
  }

  async #factsNow(
    engines: Engines,
    digests: WeightsDigests,
  ): Promise<Omit<StatementFacts, "signing_key" | "hpke_key">> {
    const { service, engine } = this.context.config;
    const { digest, commit } = await (this.#program ??= installedProgram());
    const parts = new Map<ModelId, ModelPart[]>();
    for (const model of modelIds) {
      const described = engines.partsOf(model).map((part) => describePart(part, digests));
      parts.set(model, await Promise.all(described));
    }
    return {
      version: packageVersion(),
      commit,
      program: digest,
      models: forEachModel((model) => parts.get(model) ?? []),
      switches: {
        tracing: onOff(service.otlpEndpoint !== undefined),
        prefix_reuse: engine.prefixReuse,
        item_memory: service.itemMemory,
        log_level: service.logLevel,
        log_format: service.logFormat,
      },
      machine: await memoryOnDisk(),
      hardware_evidence: null,
    };
  }

  #tellLoss({ lost, previous }: Loss): void {
    const { log, overrides } = this.context;
    log.warn("entries of the statement log are missing", { count: lost ?? undefined });
    overrides.onNotice?.(
      `The statement log was known with ${previous.size} entries, and ${lost === null ? "some of them are others now" : `${lost} of them are missing`}: ` +
        "the database was restored from an older backup. The log says so, and 'sotto verify' fails for users who saw the missing entries.",
    );
  }
}

async function describePart(part: ServingPart, digests: WeightsDigests): Promise<ModelPart> {
  if (part.runs === "upstream") {
    return { runs: "upstream", host: part.url.host, findings: [...part.findings] };
  }
  if (part.path === null) return { runs: "embedded", name: null, weights: null };
  const { title } = await weightsLabel(part.path);
  return { runs: "embedded", name: title, weights: await digests.of(part.path) };
}

const onOff = (isOn: boolean): OnOff => (isOn ? "on" : "off");
