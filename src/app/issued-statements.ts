/**
 * The statement of this service: its facts, gathered, and the log that it is appended to. Loaded after the start, which
 * needs none of it.
 */
import { coreDumps, swap } from "../adapters/memory-on-disk.js";
import { installedProgram, type InstalledProgram } from "../adapters/program-digest.js";
import { packageVersion } from "../adapters/program-files.js";
import { forEachModel, type ModelId, modelIds } from "../core/models.js";
import { signerInForce } from "../core/proof/rotate-signer.js";
import type { SealedSettings } from "../core/proof/sealed-settings.js";
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

interface StatementSources {
  context: Context;
  store: Storage["store"];
  sealed: SealedSettings;
  engines: Engines;
  hpkeKey: () => string | null;
}

/** Begins to issue statements, in the background. */
export class IssuedStatements {
  readonly statements: Statements;
  readonly #digests: WeightsDigests;
  #program: Promise<InstalledProgram> | undefined;

  constructor(private readonly sources: StatementSources) {
    const { context, store, sealed, hpkeKey } = sources;
    const { config, clock, log: lines } = context;
    this.#digests = new WeightsDigests(store, () => void this.statements.look());
    this.statements = new Statements({
      log: new StatementLog(store.statementLog, logHeadFile(config.service.dataDir), clock),
      clock,
      facts: () => this.#facts(),
      hpkeKey,
      signer: (inForce) => signerInForce(sealed, inForce),
      onLoss: (loss) => this.#tellLoss(loss),
      onError: (error) => {
        if (error instanceof StoreUnavailable) lines.warn("statement not renewed", { cause: causeOf(error) });
        else lines.unexpected(error);
      },
    });
    void this.statements.look();
  }

  async close(): Promise<void> {
    await this.statements.close();
    await this.#digests.close();
  }

  async #facts(): Promise<Omit<StatementFacts, "signing_key" | "hpke_key">> {
    const { engines, context } = this.sources;
    const { service, engine } = context.config;
    const { digest, commit } = await (this.#program ??= installedProgram());
    const parts = new Map<ModelId, ModelPart[]>();
    for (const model of modelIds) {
      const described = engines.partsOf(model).map((part) => describePart(part, this.#digests));
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
      machine: { core_dumps: coreDumps().state, swap: swap().state },
      hardware_evidence: null,
    };
  }

  #tellLoss({ lost, previous }: Loss): void {
    const { log, overrides } = this.sources.context;
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
