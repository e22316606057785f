/**
 * Events that no request causes, noticed by looking: keys that expire within a week, maintenance that has ended, engines
 * that are down. Every replica looks at all of it; what all of them see is published once (`once`), engines by each.
 *
 * How far keys have been looked through is kept in the settings, so that a restart neither repeats nor leaves out any.
 */
import type { Clock } from "../clock.js";
import { PeriodicTask } from "../periodic-task.js";
import type { Store } from "../store.js";
import { type AnnouncedWindow, keyEvent, maintenanceEvent } from "./audit-events.js";
import type { EventSink } from "./events.js";
import type { WebhookStore } from "./ports.js";

const everyMs = 10_000;
const noticeMs = 7 * 24 * 60 * 60_000;
/** Longer than all replicas can be down unnoticed; shorter than deliveries are kept. */
const endedForMs = 24 * 60 * 60_000;
const keysAtOnce = 500;
const leastStepMs = 60_000;
const lookedUntilSetting = "events.keys_looked_until";

export interface EventWatchParts {
  store: Pick<Store, "getSetting" | "setSetting"> & { webhooks: Pick<WebhookStore, "keysExpiring"> };
  events: EventSink;
  clock: Clock;
  /** Windows that took place and ended since then. */
  endedWindows: (since: Date) => Promise<AnnouncedWindow[]>;
  /** Whether each model can be answered now; null while it is starting or off. */
  engines: () => ReadonlyMap<string, boolean | null>;
  /** The name of this machine. */
  server: string;
  /** Finds out whether anything listens. */
  lookForListeners: () => Promise<void>;
  reportError: (error: unknown) => void;
}

export class EventWatch {
  readonly #wasUp = new Map<string, boolean>();
  /** Ids of windows whose end was published here. */
  #ended: ReadonlySet<string> = new Set();
  readonly #task: PeriodicTask;

  constructor(private readonly parts: EventWatchParts) {
    this.#task = new PeriodicTask(() => this.#look().catch(parts.reportError), everyMs);
  }

  look(): Promise<void> {
    return this.#task.runAgain();
  }

  close(): Promise<void> {
    return this.#task.stop();
  }

  async #look(): Promise<void> {
    const { events, lookForListeners } = this.parts;
    this.#lookAtEngines();
    await lookForListeners();
    if (!events.isListening) return;
    await this.#lookAtMaintenance();
    await this.#lookAtKeys();
  }

  /** An engine that is starting for the first time is no news, whatever comes of it at first. */
  #lookAtEngines(): void {
    const { engines, events, server } = this.parts;
    for (const [model, isUp] of engines()) {
      if (isUp === null) continue;
      const wasUp = this.#wasUp.get(model) ?? true;
      this.#wasUp.set(model, isUp);
      if (wasUp !== isUp)
        events.publish({ type: isUp ? "engine.up" : "engine.down", data: { model, server } });
    }
  }

  async #lookAtMaintenance(): Promise<void> {
    const { clock, events, endedWindows } = this.parts;
    const windows = await endedWindows(new Date(clock.now().getTime() - endedForMs));
    for (const window of windows) {
      if (this.#ended.has(window.id)) continue;
      events.publish(maintenanceEvent("maintenance.ended", window), { once: window.id });
    }
    this.#ended = new Set(windows.map(({ id }) => id));
  }

  async #lookAtKeys(): Promise<void> {
    const { store, clock, events } = this.parts;
    const now = clock.now();
    const until = new Date(now.getTime() + noticeMs);
    const looked = Number((await store.getSetting(lookedUntilSetting)) ?? now.getTime());
    // What has expired meanwhile is no longer expiring.
    const after = new Date(Math.max(looked, now.getTime()));
    if (until.getTime() - after.getTime() < leastStepMs) return;
    const keys = await store.webhooks.keysExpiring(after, until, keysAtOnce);
    for (const key of keys) {
      const once = `${key.id} ${key.expiresAt.getTime()}`;
      events.publish(keyEvent("key.expiring", { ...key, revokedAt: null }), { once });
    }
    const isAll = keys.length < keysAtOnce;
    const reached = isAll ? until : (keys.at(-1)?.expiresAt ?? until);
    await store.setSetting(lookedUntilSetting, String(reached.getTime()));
  }
}
