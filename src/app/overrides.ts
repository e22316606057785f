/** What tests and the command line may set apart from the configuration, and what every stage of a start gets. */
import type { Config } from "../config.js";
import type { HashPassword } from "../core/accounts/accounts.js";
import type { Clock } from "../core/clock.js";
import type { Closers } from "../core/close-all.js";
import type { Log } from "../log.js";
import type { EngineOverrides } from "./engine-builder.js";
import type { OwnProcess } from "./process-link.js";

export interface AppOverrides extends EngineOverrides {
  log?: Log;
  clock?: Clock;
  /** Interval of the comments that keep an idle stream open. */
  keepAliveMs?: number;
  webDir?: string;
  /** The commands in a text as they can be typed on this machine. */
  typed?: (text: string) => string;
  /** Whether the database is opened in threads, as by default. */
  databaseThreads?: boolean;
  /** With parameters that cost less than a server's. */
  hashPassword?: HashPassword;
  providerTimeoutMs?: number;
  /** For a process of its own: collects garbage when nothing has been asked for ten seconds. */
  collectsWhenIdle?: boolean;
  openFiles?: number;
  /** Where it is one of several processes of a server. */
  ownProcess?: OwnProcess | undefined;
}

export interface Context {
  config: Config;
  overrides: AppOverrides;
  clock: Clock;
  log: Log;
  closers: Closers;
}
