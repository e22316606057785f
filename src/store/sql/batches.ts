/**
 * Deletes many rows a few at a time. An embedded database works on the thread of the event loop, and a database
 * server holds locks for as long as a statement runs: between two batches others get their turn.
 */
import { setImmediate } from "node:timers/promises";
import type { DeleteResult } from "kysely";

export const batchRows = 500;

/** `deleteSome` deletes at most `batchRows`; it is called until it finds fewer. */
export async function inBatches(deleteSome: () => Promise<DeleteResult>): Promise<void> {
  while ((await deleteSome()).numDeletedRows >= batchRows) await setImmediate();
}
