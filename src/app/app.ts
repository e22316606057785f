/**
 * The composition root: configuration in, running service out. It only wires, one stage after the other; what each
 * part does is up to the part. Closing goes through the parts in reverse order, whatever fails meanwhile.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.js";
import { hostInUrl } from "../config/host-in-url.js";
import { systemClock } from "../core/clock.js";
import { Closers } from "../core/close-all.js";
import { flushUntil } from "../core/usage/last-flush.js";
import { createLog } from "../log.js";
import { ServiceError } from "../core/errors.js";
import { explainUnavailable } from "../store/open-store.js";
import { startEngines } from "./engines.js";
import { listen } from "./http-server.js";
import { createModelAdmin } from "./model-admin.js";
import type { AppOverrides, Context } from "./overrides.js";
import { createServing, followChanges } from "./serving.js";
import { openProof } from "./proof.js";
import { openStorage } from "./storage.js";

export type App = Awaited<ReturnType<typeof startApp>>;

export async function startApp(config: Config, overrides: AppOverrides = {}) {
  const { clock = systemClock, log = createLog(config.service.logLevel) } = overrides;
  const context = { config, overrides, clock, log, closers: new Closers() };
  try {
    return await start(context);
  } catch (error) {
    // The operator needs the error of the start, not that of the closing.
    await context.closers.close().catch((closing: unknown) => log.unexpected(closing));
    throw await explainUnavailable(error, config);
  }
}

async function start(context: Context) {
  const { config, overrides, clock, closers } = context;
  const { host, tlsCert } = config.service;
  let isDraining = false;
  let port = 0;
  const url = (): string => `${tlsCert === undefined ? "http" : "https"}://${hostInUrl(host)}:${port}`;
  const storage = await openStorage(context);
  const proof = await openProof(context, storage);
  const engines = closers.add(await startEngines({ ...context, store: storage.store }));
  const serving = createServing(context, storage, engines, proof, url);
  const { completions, dashboard } = serving;
  await followChanges(context, storage, engines, serving);
  const models = createModelAdmin(context, storage, engines, serving);
  const stages = { storage, engines, serving, models, proof, isDraining: () => isDraining };
  const listening = await listen(context, stages);
  port = listening.port;
  proof.start(engines);
  dashboard.housekeeping.start();
  return {
    port,
    url: url(),
    /** What the operator should know about how it started. */
    notice: listening.notice,
    store: storage.store,
    keys: storage.keys,
    engine: engines.fleet,
    dashboard,
    models,
    proof,
    /** Resolves when every model can answer; rejects when one cannot be loaded. */
    ready: () => engines.fleet.ready(),
    /** What to use instead of the starter; null where it does not answer. */
    suggestion: () => engines.suggestion(),
    /** Changes models over to what this configuration says; nothing else of it is taken up. */
    followModels: async (next: Config): Promise<void> => {
      await engines.follow(next);
    },
    /** Refuses new work, lets running replies finish and writes what was counted, for at most `drainMs`. */
    drain: async (drainMs: number): Promise<void> => {
      isDraining = true;
      completions.refuseNew(
        new ServiceError("maintenance", { message: "The server is shutting down.", retryAfterSeconds: 5 }),
      );
      const endsMs = clock.monotonicMs() + drainMs;
      while (completions.active > 0 && clock.monotonicMs() < endsMs) await sleep(20);
      await flushUntil({ usage: dashboard.usage, clock, endsMs, onNotice: overrides.onNotice });
    },
    close: () => closers.close(),
    /** For a process that ends now: saves what would be lost otherwise. */
    abandon: () => dashboard.usage.spill(),
  };
}
