/** What an admin does about the models, with its line in the audit trail. Refusals are shown to that admin. */
import type {
  EngineRequest,
  EnginePreflight,
  ModelChoicesView,
  ModelsNow,
  ModelView,
  PullRequest,
  PullView,
  WeightsRequest,
} from "../model-views.js";
import { isModelId, type ModelId } from "../models.js";
import type { AuditAction } from "../audit-actions.js";
import type { Actor, Audit } from "../audit.js";
import { DashboardError, existing } from "../dashboard-error.js";
import type { ModelNames } from "../model-aliases.js";
import type { ModelSources, Pulls } from "./ports.js";
import { UserError } from "../user-error.js";

/** A pull that is to be used as soon as it is there. */
export interface PulledWeights extends WeightsRequest {
  pullId: string;
  model: ModelId;
}

export class ModelAdmin {
  /** Who started or resumed the pulls that run. */
  readonly #actors = new Map<string, Actor>();

  constructor(
    private readonly sources: ModelSources,
    private readonly pulls: Pulls,
    private readonly audit: Audit,
    private readonly names: Pick<ModelNames, "aliases">,
  ) {}

  async now(): Promise<ModelsNow> {
    return {
      models: await this.sources.now(),
      pulls: this.pulls.list(),
      aliases: [...this.names.aliases],
    };
  }

  async one(id: string): Promise<ModelView> {
    const views = await this.sources.now();
    return existing(
      views.find(({ model }) => model === id),
      noModel,
    );
  }

  onePull(id: string): PullView {
    const found = this.pulls.list().find((pull) => pull.id === id);
    return existing(found, "There is no such pull.");
  }

  choices(model: ModelId | undefined): Promise<ModelChoicesView> {
    return this.sources.choices(model);
  }

  preflight(engine: EngineRequest): Promise<EnginePreflight> {
    return translateError("url", () => this.sources.preflight(engine));
  }

  useWeights(actor: Actor, id: string, weights: WeightsRequest): Promise<void> {
    return this.#change(actor, id, "file", (model) => this.sources.useWeights(model, weights));
  }

  /** Rejects with a `UserError` where the model cannot be switched over to it. */
  async usePulled({ pullId, model, ...weights }: PulledWeights): Promise<void> {
    const actor = this.#actors.get(pullId);
    this.#actors.delete(pullId);
    await this.sources.useWeights(model, weights);
    if (actor !== undefined) await this.audit.record(actor, "changed source of model", model);
  }

  useEngine(actor: Actor, id: string, engine: EngineRequest): Promise<void> {
    return this.#change(actor, id, "url", (model) => this.sources.useEngine(model, engine));
  }

  useDefault(actor: Actor, id: string): Promise<void> {
    return this.#change(actor, id, undefined, (model) => this.sources.useDefault(model));
  }

  rollBack(actor: Actor, id: string): Promise<void> {
    const rollBack = (model: ModelId) => this.sources.rollBack(model);
    return this.#change(actor, id, undefined, rollBack, "rolled back model");
  }

  async pull(actor: Actor, body: PullRequest): Promise<PullView> {
    const pull = await translateError("reference", async () => this.pulls.start(body));
    this.#remember(pull, actor);
    await this.audit.record(actor, "started pull", pull.reference);
    return pull;
  }

  async pause(actor: Actor, id: string): Promise<PullView> {
    this.onePull(id);
    const pull = await translateError(undefined, async () => this.pulls.pause(id));
    await this.audit.record(actor, "paused pull", pull.reference);
    return pull;
  }

  async resume(actor: Actor, id: string): Promise<PullView> {
    this.onePull(id);
    const pull = await translateError(undefined, async () => this.pulls.resume(id));
    this.#remember(pull, actor);
    await this.audit.record(actor, "resumed pull", pull.reference);
    return pull;
  }

  async cancel(actor: Actor, id: string): Promise<void> {
    this.onePull(id);
    const pull = await translateError(undefined, () => this.pulls.cancel(id));
    // Removing a finished one from the list changes nothing.
    if (pull.state !== "done") await this.audit.record(actor, "cancelled pull", pull.reference);
    this.#actors.delete(id);
  }

  /** `field`: of the request, what errors are about. */
  async #change(
    actor: Actor,
    id: string,
    field: string | undefined,
    change: (model: ModelId) => Promise<void>,
    action: AuditAction = "changed source of model",
  ): Promise<void> {
    if (!isModelId(id)) throw new DashboardError("not_found", noModel);
    await translateError(field, () => change(id));
    await this.audit.record(actor, action, id);
  }

  #remember({ id, use }: PullView, actor: Actor): void {
    if (use) this.#actors.set(id, actor);
  }
}

const noModel = "There is no such model.";

async function translateError<T>(field: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw field === undefined
      ? new DashboardError("conflict", error.message)
      : new DashboardError("bad_request", error.message, { field });
  }
}
