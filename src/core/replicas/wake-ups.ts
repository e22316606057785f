/**
 * How replicas tell each other that there is something new among the changes of the store, so that they need
 * not wait for their next look. Nothing depends on it: one that is lost costs a second. It carries no content;
 * what changed is read from the store, where it is sure to be.
 */
export interface Announcements {
  /** Tells the other replicas. Never waits and never fails. */
  announce(): void;
  onAnnounced(listener: () => void): void;
  close(): Promise<void>;
}

/** For a single process. */
export const noAnnouncements: Announcements = {
  announce: () => {},
  onAnnounced: () => {},
  close: async () => {},
};
