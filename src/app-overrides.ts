/** What tests and the command line may set apart from the configuration. */
import type { Clock } from "./core/clock.js";
import type { EngineOverrides } from "./start-engines.js";
import type { Log } from "./log.js";

export interface AppOverrides extends EngineOverrides {
  log?: Log;
  clock?: Clock;
  /** Interval of the comments that keep an idle stream open. */
  keepAliveMs?: number;
  /** Folder of the built pages. */
  webDir?: string;
  /** Called with a sentence for the operator: what is being waited for, what was lost. */
  onNotice?: (notice: string) => void;
  /** Whether the database is opened in threads, as by default. */
  databaseThreads?: boolean;
  /** Files that this process may have open. */
  openFiles?: number;
}
