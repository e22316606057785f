/** Commands that work on the database, whether or not a server is running on it. */
import type { Command as Commander } from "commander";
import type { Config } from "../config.js";
import { Audit, type OnRecorded } from "../core/audit.js";
import type { AuditAction } from "../core/audit-actions.js";
import { auditEvents } from "../core/events/audit-events.js";
import { EventPublisher } from "../core/events/event-publisher.js";
import type { EventSink } from "../core/events/events.js";
import type { FullStore } from "../store/full-store.js";
import { systemClock } from "../core/clock.js";
import { Command } from "./command.js";
import { report } from "./output.js";
import { readSettings, settingsOptions } from "./settings.js";

/** Who acts, in the audit trail. */
export const actor = "command line";

/** Adds a command with the options that all of them take. */
export function storeCommand(parent: Commander, usage: string, description: string): StoreCommand {
  const [name, ...args] = usage.split(" ");
  const command = new StoreCommand(name).copyInheritedSettings(parent).description(description);
  if (args.length > 0) command.arguments(args.join(" "));
  parent.addCommand(command);
  return settingsOptions(command).option("--json", "print one line of JSON instead of text");
}

/** What a command works with. */
export interface StoreParts {
  command: Commander;
  config: Config;
  store: FullStore;
  audit: Audit;
  /** Adds a line to the audit trail. */
  record: (action: AuditAction, target: string) => Promise<void>;
  events: EventSink;
  /** Publishes the event of a line that was written to the trail otherwise than through `audit`. */
  announce: OnRecorded;
}

/** What a command prints: as JSON, and for people. */
export type Shown = readonly [value: unknown, text: string];

class StoreCommand extends Command {
  /** The action of the command. What it resolves with is printed. */
  // Args types the arguments of `work`, which Commander has as any.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  onStore<Args extends unknown[]>(work: (parts: StoreParts, ...args: Args) => Promise<Shown>): this {
    return this.action(async (...args: Args) => {
      report(this, ...(await withStore(this, (parts) => work(parts, ...args))));
    });
  }
}

/** Opens the configured store, and closes it after `work`. */
export async function withStore<T>(command: Commander, work: (parts: StoreParts) => Promise<T>): Promise<T> {
  const config = readSettings(command);
  // Loaded when it is needed: `--help` and the server's own start wait for no database library.
  const { explainUnavailable, openStore } = await import("../store/open-store.js");
  const store = await openStore(config, {
    onUpgradeCopy: (file) => {
      console.error(`The database was migrated to this version. A copy from before is ${file}.`);
    },
  });
  const events = eventsOf(store);
  try {
    const note = auditEvents({
      findKey: (id) => store.findKey(id),
      findAccount: (id) => store.accounts.findAccount(id),
      findRole: async (teamId, accountId) => (await store.teams.membership(teamId, accountId))?.role ?? null,
      findWindow: (id) => store.news.findWindow(id),
      events,
    });
    const announce: OnRecorded = (...line) => events.follow(note(...line));
    const audit = new Audit(store.audit, systemClock, announce);
    const record: StoreParts["record"] = (action, target) => audit.record(actor, action, target);
    return await work({ command, config, store, audit, record, events, announce });
  } catch (error) {
    throw await explainUnavailable(error, config);
  } finally {
    await events.close();
    await store.close();
  }
}

/** They are written down here; a server delivers them. What the command did is done, whether or not they can be. */
const eventsOf = (store: FullStore): EventPublisher =>
  new EventPublisher({
    store: store.webhooks,
    clock: systemClock,
    onAdded: () => undefined,
    onDropped: () => undefined,
    reportError: () => undefined,
  });
