/** The link of a process that was started by another (`process-owner.ts`) to that one. */
import cluster from "node:cluster";
import { ProcessLink } from "../adapters/process-link.js";
import type { OwnerMethods, ProcessMethods } from "./process-owner.js";

export type LinkToOwner = ProcessLink<OwnerMethods, ProcessMethods>;

export interface OwnProcess {
  link: LinkToOwner;
  /** How many processes the server has. */
  count: number;
  /** The first one prints what the operator should read, and takes up what an earlier start left. */
  isFirst: boolean;
}

/** Null in a process that serves alone. `onOrphaned` is called before this process ends, since the owner has ended. */
export function openOwnProcess(count: number, onOrphaned: () => void): OwnProcess | null {
  const { worker } = cluster;
  if (worker === undefined) return null;
  const link: LinkToOwner = new ProcessLink({
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
  });
  process.on("message", (message) => link.receive(message));
  // A process that could not start must be able to end.
  process.channel?.unref();
  // Node ends the process after this event.
  worker.once("disconnect", () => {
    link.close();
    onOrphaned();
  });
  return { link, count, isFirst: worker.id === 1 };
}
