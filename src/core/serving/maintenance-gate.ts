/**
 * Enforces maintenance windows. The windows that are not over are read from the store every
 * second, since the command line and other replicas schedule and end them too; whether one is open is decided
 * by the clock at every request, so that a window begins and ends on time. When the store is unreachable, the
 * windows read last stay in force.
 *
 * While one is open new completions are refused. What runs may finish within the drain time, and is then
 * ended with the same error.
 */
import type { Clock } from "../clock.js";
import { ServiceError } from "../errors.js";
import { PeriodicTask } from "../periodic-task.js";

export interface MaintenanceWindow {
  id: string;
  title: string;
  body: string;
  startsAt: Date;
  endsAt: Date;
  /** When it was ended before its time. */
  endedAt: Date | null;
  publishedAt: Date;
  updatedAt: Date;
}

export interface MaintenanceGateOptions {
  /** Windows that are not over at this time, the earliest first. */
  listCurrentWindows: (now: Date) => Promise<MaintenanceWindow[]>;
  clock: Clock;
  /** How long running replies may take to finish once a window is open. */
  drainMs: number;
  /** Ends whatever still runs. */
  endRunning: (reason: ServiceError) => void;
  pollMs?: number;
}

const defaultPollMs = 1_000;
const longestRetrySeconds = 59;

export class MaintenanceGate {
  #windows: readonly MaintenanceWindow[] = [];
  readonly #readings: PeriodicTask;

  constructor(private readonly options: MaintenanceGateOptions) {
    this.#readings = new PeriodicTask(() => this.#read(), options.pollMs ?? defaultPollMs);
  }

  /** What a new completion is refused with now; null when there is no maintenance. */
  refusal(): ServiceError | null {
    const window = this.#open();
    return window === null ? null : maintenanceError(window, this.options.clock.now());
  }

  /** For the header that announces it: the window that is open or comes next, as an ISO 8601 interval. */
  announcement(): string | null {
    if (this.#windows.length === 0) return null;
    const now = this.options.clock.now();
    const window = this.#windows.find((one) => !isOver(one, now));
    return window === undefined ? null : `${isoSeconds(window.startsAt)}/${isoSeconds(window.endsAt)}`;
  }

  /** Reads the windows again. Never rejects; callers at the same time share one reading. */
  refresh(): Promise<void> {
    return this.#readings.run();
  }

  close(): Promise<void> {
    return this.#readings.stop();
  }

  async #read(): Promise<void> {
    const { listCurrentWindows, clock, drainMs, endRunning } = this.options;
    try {
      this.#windows = await listCurrentWindows(clock.now());
    } catch {
      // The windows that were read last stay in force.
    }
    const now = clock.now();
    const open = this.#open();
    if (open !== null && now.getTime() - open.startsAt.getTime() >= drainMs) {
      endRunning(maintenanceError(open, now));
    }
  }

  #open(): MaintenanceWindow | null {
    // Asked for each request, and most of the time there is none.
    if (this.#windows.length === 0) return null;
    const now = this.options.clock.now();
    return this.#windows.find((window) => window.startsAt <= now && !isOver(window, now)) ?? null;
  }
}

export const isOver = ({ endsAt, endedAt }: MaintenanceWindow, now: Date): boolean =>
  endsAt <= now || (endedAt !== null && endedAt <= now);

function maintenanceError({ endsAt }: MaintenanceWindow, now: Date): ServiceError {
  const seconds = Math.ceil((endsAt.getTime() - now.getTime()) / 1000);
  return new ServiceError("maintenance", {
    message: `The service is down for scheduled maintenance until ${isoSeconds(endsAt)}. See /changelog.`,
    retryAfterSeconds: Math.min(longestRetrySeconds, Math.max(1, seconds)),
  });
}

const isoSeconds = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");
