/**
 * What a request passes through behind HTTP: limits, maintenance, the queue and the engines, and the dashboard's
 * parts, which count it. They refer to one another: a refusal is counted, a key that is revoked in the dashboard ends
 * its replies.
 */
import { callerNow } from "../core/serving/caller-now.js";
import { Completions } from "../core/serving/completion.js";
import { Limits } from "../core/limits/limits.js";
import { MaintenanceGate } from "../core/serving/maintenance-gate.js";
import { KeptMemory } from "../core/serving/kept-memory.js";
import { RecentItems } from "../core/serving/recent-items.js";
import { createDashboard, quotaBook, type Dashboard } from "./dashboard-services.js";
import { ModelNames } from "../core/model-names.js";
import { aliasesInUse } from "../core/stored-aliases.js";
import { forEachChatModel } from "../core/models.js";
import { ChangeFollower } from "../core/replicas/change-follower.js";
import { Sessions } from "../core/sign-in/sessions.js";
import { Metrics, type MetricSources } from "../metrics.js";
import { SpeedNotes } from "../models/measured-speed.js";
import type { Engines } from "./engines.js";
import type { Context } from "./overrides.js";
import type { Proof } from "./proof.js";
import type { Storage } from "./storage.js";

const dayMs = 24 * 60 * 60_000;

export class Serving {
  readonly names: ModelNames;
  readonly metrics: Metrics;
  readonly limits: Limits;
  readonly gate: MaintenanceGate;
  readonly completions: Completions;
  readonly recentItems: RecentItems | null;
  readonly memory: KeptMemory;
  readonly dashboard: Dashboard;
  readonly #sessions: Sessions;
  readonly #speeds: SpeedNotes;

  constructor(
    private readonly context: Context,
    private readonly storage: Storage,
    private readonly engines: Engines,
    private readonly proof: Proof,
    url: () => string,
  ) {
    const { config, clock, closers } = context;
    const { store, counters } = storage;
    this.names = new ModelNames(config.service.modelAliases);
    this.metrics = this.#createMetrics();
    this.limits = new Limits(counters.admissions, {
      quotas: quotaBook(clock, config.limits.quotaTimezone, () => this.dashboard),
      onRefusal: (limit, scope) => this.metrics.refusal(limit, scope),
    });
    this.gate = closers.add(
      new MaintenanceGate({
        listCurrentWindows: (now) => store.news.listCurrentWindows(now),
        clock,
        drainMs: config.limits.drainMs,
        endRunning: (reason) => this.completions.endAll(reason),
      }),
    );
    this.#speeds = closers.add(
      new SpeedNotes(store, (model) =>
        engines.memoryBytes(model) === null ? null : engines.fleet.status(model).serving,
      ),
    );
    this.#sessions = new Sessions(store.sessions, clock, {
      idleMs: config.accounts.sessionIdleDays * dayMs,
      absoluteMs: config.accounts.sessionDays * dayMs,
    });
    this.completions = this.#createCompletions();
    this.recentItems = config.service.itemMemory === "on" ? closers.add(new RecentItems(clock)) : null;
    this.memory = new KeptMemory({
      engine: engines.fleet,
      schemasOf: (accountId) => engines.schemasOf(accountId),
      items: this.recentItems,
      tellOthers:
        config.storage.databaseUrl === undefined && context.overrides.ownProcess === undefined
          ? null
          : (accountId) => store.changes.append("caches_dropped", accountId),
    });
    this.dashboard = closers.add(
      createDashboard(context, storage, proof, {
        sessions: this.#sessions,
        engines,
        publicUrl: () => config.accounts.publicUrl ?? url(),
        cutStreams: (target) => this.completions.cut(target),
      }),
    );
  }

  /** Takes up what is changed from now on, here, by other replicas and by the command line. */
  async follow(): Promise<void> {
    const { engines, completions } = this;
    const { store, keys, counters, database } = this.storage;
    await this.gate.refresh();
    const follower = await ChangeFollower.start({
      changes: store.changes,
      keys,
      cutStreams: (target) => {
        completions.cut(target);
        if ("accountId" in target) this.memory.forget(target.accountId);
      },
      dropCaches: (accountId) => this.memory.forget(accountId),
      reviewStreams: (target) => completions.review(target),
      onModelsChanged: () => {
        void engines.follow();
        void this.#readAliases();
      },
      onStoreHealth: (health) => database.noteHealth(health),
    });
    this.context.closers.add(follower);
    void engines.catchUp();
    await this.#readAliases();
    counters.wakeUps.onWakeUp(() => void follower.look());
    store.changes.onAppended(() => {
      counters.wakeUps.wakeOthers();
      // What is changed here takes effect the same way as what is changed elsewhere, without the wait.
      void follower.look();
    });
  }

  /** Keeps those it has where the store does not answer. */
  async #readAliases(): Promise<void> {
    try {
      const { modelAliases } = this.context.config.service;
      this.names.replace(await aliasesInUse(this.storage.store, modelAliases));
    } catch (error) {
      this.context.log.unexpected(error);
    }
  }

  #createMetrics(): Metrics {
    const { fleet } = this.engines;
    const { counters, database } = this.storage;
    const link = this.context.overrides.ownProcess?.link;
    const sources: MetricSources = {
      sequencesActive: (model) => fleet.status(model).active,
      sequencesCapacity: (model) => fleet.status(model).capacity,
      engineRestarts: (model) => fleet.status(model).restarts,
      engineMemoryBytes: (model) => this.engines.memoryBytes(model) ?? 0,
      queueWaiting: (model) => fleet.queueOf(model).waiting,
      isStoreUp: () => database.isUp,
      isRedisUp:
        this.context.config.storage.redisUrl === undefined ? null : () => counters.failure() === null,
      isRedisRefusing: () => counters.failure()?.kind === "refusing",
      statementLogSize: () => this.proof.statements()?.log.head.size ?? 0,
      statementLogRestored: () => this.proof.statements()?.log.lastRestored ?? null,
      privacyCheck: () => this.dashboard.privacyCheck.read(),
    };
    if (link === undefined) return new Metrics(sources);
    return new Metrics(sources, () => link.call("metricsOfAll"));
  }

  #createCompletions(): Completions {
    const { fleet } = this.engines;
    return new Completions({
      engine: fleet,
      limits: this.limits,
      names: this.names,
      fairness: this.context.config.service.fairness,
      substitutes: forEachChatModel((model) => this.context.config.models[model].fallback),
      queueOf: (model, prepared) => fleet.queueOf(model, prepared),
      clock: this.context.clock,
      reread: callerNow({
        store: this.storage.store,
        sessions: this.#sessions,
        findActedFor: (account, teamId) => this.dashboard.teams.findActedFor(account, teamId),
      }),
      refusal: () => this.gate.refusal(),
      onTokenGap: (model, gapMs, tokens) => {
        this.metrics.tokenGap(model, gapMs, tokens);
        this.#speeds.add(model, gapMs, tokens);
      },
      onTokens: (model, tokens) => this.dashboard.rates.addTokens(model, tokens),
    });
  }
}
