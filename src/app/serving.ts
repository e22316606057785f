/**
 * What a request passes through behind HTTP: limits, maintenance, the queue and the engines, and the dashboard's
 * parts, which count it. They refer to one another: a refusal is counted, a key that is revoked in the dashboard ends
 * its replies.
 */
import { callerNow } from "../core/serving/playground.js";
import { Completions } from "../core/serving/completion.js";
import { Limits } from "../core/limits/limits.js";
import { MaintenanceGate } from "../core/serving/maintenance-gate.js";
import { KeptMemory } from "../core/serving/kept-memory.js";
import { RecentItems } from "../core/serving/recent-items.js";
import { createDashboard } from "./dashboard-services.js";
import { aliasesInUse, ModelNames } from "../core/model-aliases.js";
import { forEachChatModel } from "../core/models.js";
import { ChangeFollower } from "../core/replicas/change-follower.js";
import { Sessions } from "../core/sign-in/sessions.js";
import { Metrics } from "../metrics.js";
import { SpeedNotes } from "../models/measured-speed.js";
import type { Engines } from "./engines.js";
import type { Context } from "./overrides.js";
import type { Proof } from "./proof.js";
import type { Storage } from "./storage.js";

const dayMs = 24 * 60 * 60_000;

export type Serving = ReturnType<typeof createServing>;

export function createServing(
  context: Context,
  storage: Storage,
  engines: Engines,
  proof: Proof,
  url: () => string,
) {
  const { config, clock, closers, overrides } = context;
  const { store, counters, database } = storage;
  const { fleet } = engines;
  const { ownProcess } = overrides;
  const names = new ModelNames(config.service.modelAliases);
  const metrics = new Metrics(
    {
      sequencesActive: (model) => fleet.status(model).active,
      sequencesCapacity: (model) => fleet.status(model).capacity,
      engineRestarts: (model) => fleet.status(model).restarts,
      engineMemoryBytes: (model) => engines.memoryBytes(model) ?? 0,
      queueWaiting: (model) => fleet.queueOf(model).waiting,
      isStoreUp: () => database.isUp,
      isRedisUp: config.storage.redisUrl === undefined ? null : () => counters.failure() === null,
      isRedisRefusing: () => counters.failure()?.kind === "refusing",
      statementLogSize: () => proof.statements()?.log.head.size ?? 0,
      statementLogRestored: () => proof.statements()?.log.lastRestored ?? null,
      privacyCheck: () => dashboard.privacyCheck.read(),
    },
    ownProcess && (() => ownProcess.link.call("metricsOfAll")),
  );
  const gate = closers.add(
    new MaintenanceGate({
      listCurrentWindows: (now) => store.news.listCurrentWindows(now),
      clock,
      drainMs: config.limits.drainMs,
      endRunning: (reason) => completions.running.endAll(reason),
    }),
  );
  const speeds = closers.add(
    new SpeedNotes(store, (model) =>
      engines.memoryBytes(model) === null ? null : fleet.status(model).serving,
    ),
  );
  const sessions = new Sessions(store.sessions, clock, {
    idleMs: config.accounts.sessionIdleDays * dayMs,
    absoluteMs: config.accounts.sessionDays * dayMs,
  });
  const recentItems = config.service.itemMemory === "on" ? closers.add(new RecentItems(clock)) : null;
  const memory = new KeptMemory({
    engine: fleet,
    schemasOf: (accountId) => engines.schemasOf(accountId),
    items: recentItems,
    tellOthers:
      config.storage.databaseUrl === undefined && ownProcess === undefined
        ? null
        : (accountId) => store.changes.append("caches_dropped", accountId),
  });
  const dashboard = createDashboard(context, storage, proof, {
    sessions,
    engines,
    publicUrl: () => config.accounts.publicUrl ?? url(),
    cutStreams: (target) => completions.running.cut(target),
  });
  const limits = new Limits(counters.admissions, {
    quotas: dashboard.quotas,
    onRefusal: (limit, scope) => metrics.refusal(limit, scope),
  });
  const completions = new Completions({
    ...{ engine: fleet, limits, names, clock },
    fairness: config.service.fairness,
    substitutes: forEachChatModel((model) => config.models[model].fallback),
    queueOf: (model, prepared) => fleet.queueOf(model, prepared),
    reread: callerNow({
      store,
      sessions,
      findActedFor: (account, teamId) => dashboard.teams.findActedFor(account, teamId),
    }),
    refusal: () => gate.refusal(),
    onTokenGap: (model, gapMs, tokens) => {
      metrics.tokenGap(model, gapMs, tokens);
      speeds.add(model, gapMs, tokens);
    },
    onTokens: (model, tokens) => dashboard.rates.addTokens(model, tokens),
  });
  return { names, metrics, limits, gate, completions, recentItems, memory, dashboard };
}

/** Takes up what is changed from now on, here, by other replicas and by the command line. */
export async function followChanges(
  { config, log, closers }: Context,
  { store, keys, counters, database }: Storage,
  engines: Engines,
  { names, gate, completions, memory }: Serving,
): Promise<void> {
  /** Keeps those it has where the store does not answer. */
  const readAliases = async () => {
    try {
      names.aliases = await aliasesInUse(store, config.service.modelAliases);
    } catch (error) {
      log.unexpected(error);
    }
  };
  await gate.refresh();
  const follower = closers.add(
    await ChangeFollower.start({
      changes: store.changes,
      keys,
      cutStreams: (target) => {
        completions.running.cut(target);
        if ("accountId" in target) memory.forget(target.accountId);
      },
      dropCaches: (accountId) => memory.forget(accountId),
      reviewStreams: (target) => completions.running.review(target),
      onModelsChanged: () => {
        void engines.follow();
        void readAliases();
      },
      onStoreHealth: (health) => database.noteHealth(health),
    }),
  );
  void engines.catchUp();
  await readAliases();
  counters.wakeUps.onWakeUp(() => void follower.look());
  store.changes.onAppended(() => {
    counters.wakeUps.wakeOthers();
    // What is changed here takes effect the same way as what is changed elsewhere, without the wait.
    void follower.look();
  });
}
