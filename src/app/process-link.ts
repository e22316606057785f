/** The link of a process that was started by another (`process-owner.ts`) to that one. */
import cluster from "node:cluster";
import { ProcessLink } from "../adapters/process-link.js";
import type { OwnerMethods, ProcessMethods } from "./process-owner.js";

type LinkToOwner = ProcessLink<OwnerMethods, ProcessMethods>;

/** Longer than the owner waits for the answers of all processes. */
const answerMs = 5_000;

export interface OwnProcess {
  link: LinkToOwner;
  /** How many processes the server has. */
  count: number;
  /** The first one prints what the operator should read, and takes up what an earlier start left. */
  isFirst: boolean;
  /** The link keeps the process running no longer: for one that could not start. */
  release: () => void;
}

/** Undefined in a process that serves alone. `onOrphaned` is called before this process ends, since the owner has ended. */
export function openOwnProcess(count: number, onOrphaned: () => void): OwnProcess | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const link: LinkToOwner = new ProcessLink({
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    answerMs,
  });
  process.on("message", (message) => link.receive(message));
  // Node ends the process after this event.
  worker.once("disconnect", () => {
    link.close();
    onOrphaned();
  });
  return { link, count, isFirst: worker.id === 1, release: () => process.channel?.unref() };
}
