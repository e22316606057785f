/**
 * How replicas tell each other that the store has new changes, so that they need not wait for their next poll.
 * Nothing depends on it: a lost wake-up costs a second. It carries no content; what changed is read from
 * the store, where it is durable.
 */
export interface WakeUps {
  /** Wakes the other replicas. Never waits and never fails. */
  wakeOthers(): void;
  onWakeUp(listener: () => void): void;
  close(): Promise<void>;
}

/** For a single process. */
export const noWakeUps: WakeUps = {
  wakeOthers: () => {},
  onWakeUp: () => {},
  close: async () => {},
};
