/**
 * The composition root: configuration in, running service out. It only wires, one stage after the other; what each
 * part does is up to the part. Closing goes through the parts in reverse order, whatever fails meanwhile.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.js";
import { hostInUrl } from "../config/host-in-url.js";
import type { FullStore } from "../store/full-store.js";
import type { Dashboard } from "./dashboard-services.js";
import type { KeyRing } from "../core/keys/key-ring.js";
import type { ModelAdmin } from "../core/admin/model-admin.js";
import { systemClock } from "../core/clock.js";
import type { Engine } from "../core/serving/engine-port.js";
import { flushUntil } from "../core/usage/last-flush.js";
import { createLog } from "../log.js";
import type { ModelSuggestion } from "../protocol/dashboard/engines.js";
import { ServiceError } from "../core/errors.js";
import { explainUnavailable } from "../store/open-store.js";
import { Closers } from "./closers.js";
import { startEngines, type Engines } from "./engines.js";
import { listen, type Listening } from "./http-server.js";
import { createModelAdmin } from "./model-admin.js";
import type { AppOverrides, Context } from "./overrides.js";
import { Serving } from "./serving.js";
import { openProof, type Proof } from "./proof.js";
import { openStorage, type Storage } from "./storage.js";

export async function startApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config.service.logLevel) } = overrides;
  const context = { config, overrides, clock, log, closers: new Closers() };
  try {
    const storage = await openStorage(context);
    const proof = await openProof(context, storage);
    const engines = await startEngines({ ...context, store: storage.store });
    context.closers.add(engines);
    const serving: Serving = new Serving(context, storage, engines, proof, () => app.url);
    await serving.follow();
    const models = createModelAdmin(context, storage, engines, serving);
    const app: App = new App(context, storage, engines, serving, models, proof);
    await app.listen();
    proof.start(engines);
    return app;
  } catch (error) {
    // The operator needs the error of the start, not that of the closing.
    await context.closers.close().catch((closing: unknown) => log.unexpected(closing));
    throw await explainUnavailable(error, config);
  }
}

export class App {
  #isDraining = false;
  #listening: Listening = { port: 0, notice: null };

  constructor(
    private readonly context: Context,
    private readonly storage: Storage,
    private readonly engines: Engines,
    private readonly serving: Serving,
    readonly models: ModelAdmin,
    readonly proof: Proof,
  ) {}

  async listen(): Promise<void> {
    const { storage, engines, serving, models, proof } = this;
    const stages = { storage, engines, serving, models, proof, isDraining: () => this.#isDraining };
    this.#listening = await listen(this.context, stages);
  }

  get port(): number {
    return this.#listening.port;
  }

  get url(): string {
    const { host, tlsCert } = this.context.config.service;
    return `${tlsCert === undefined ? "http" : "https"}://${hostInUrl(host)}:${this.port}`;
  }

  /** What the operator should know about how it started. */
  get notice(): string | null {
    return this.#listening.notice;
  }

  get store(): FullStore {
    return this.storage.store;
  }

  get keys(): KeyRing {
    return this.storage.keys;
  }

  get engine(): Engine {
    return this.engines.fleet;
  }

  get dashboard(): Dashboard {
    return this.serving.dashboard;
  }

  /** Resolves when every model can answer; rejects when one cannot be loaded. */
  ready(): Promise<void> {
    return this.engines.fleet.ready();
  }

  /** What to use instead of the starter; null where it does not answer. */
  suggestion(): ModelSuggestion | null {
    return this.engines.suggestion();
  }

  /** Changes models over to what this configuration says; nothing else of it is taken up. */
  async followModels(config: Config): Promise<void> {
    await this.engines.follow(config);
  }

  /** Refuses new work, lets running replies finish and writes what was counted, for at most `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    const { clock, overrides } = this.context;
    const { completions, dashboard } = this.serving;
    this.#isDraining = true;
    completions.refuseNew(
      new ServiceError("maintenance", { message: "The server is shutting down.", retryAfterSeconds: 5 }),
    );
    const endsMs = clock.monotonicMs() + drainMs;
    while (completions.active > 0 && clock.monotonicMs() < endsMs) await sleep(20);
    await flushUntil({ usage: dashboard.usage, clock, endsMs, onNotice: overrides.onNotice });
  }

  close(): Promise<void> {
    return this.context.closers.close();
  }

  /** For a process that ends now: saves what would be lost otherwise. */
  abandon(): void {
    this.dashboard.usage.spill();
  }
}
