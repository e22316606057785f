import type { OtherReplicas } from "../keys/connection-tests.js";

/**
 * How replicas tell each other that the store has new changes, so that they need not wait for their next poll.
 * Nothing depends on it: a lost wake-up costs a second. It carries no content; what changed is read from
 * the store, where it is durable.
 */
export interface WakeUps {
  /** Wakes the other replicas. Never waits and never fails. */
  wakeOthers(): void;
  onWakeUp(listener: () => void): void;
  /** What connection tests tell the other replicas. It is lost while they cannot be reached. */
  tests: OtherReplicas | null;
  close(): Promise<void>;
}

/** For a single process. */
export const noWakeUps: WakeUps = {
  wakeOthers: () => {},
  onWakeUp: () => {},
  tests: null,
  close: async () => {},
};
