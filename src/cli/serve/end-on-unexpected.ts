/**
 * How a running server ends on a bug. Node would print the message and the source line of an error that nothing
 * caught, and messages of libraries quote their input: a prompt could end up on stderr. The log gets the class of the
 * error and the places it passed through, stderr the class alone.
 */
import type { Log } from "../../log.js";
import { isForOperator } from "../operator-errors.js";

/** Instead of an error whose message may quote what a user sent. */
export class UnexpectedEnd extends Error {
  constructor(error: unknown) {
    super(
      `the server ended because of an unexpected error (${classOf(error)}). The log has the places it passed through.`,
    );
    this.name = "UnexpectedEnd";
  }
}

/** Logs what nothing caught, saves what would be lost, and exits with 1. */
export function endOnUnexpected(log: Log, save: () => void): void {
  const end = (error: unknown): void => {
    try {
      log.unexpected(error);
      console.error(`error: ${new UnexpectedEnd(error).message}`);
      save();
    } catch (saving) {
      // What is thrown in here, Node would print.
      log.unexpected(saving);
    } finally {
      process.exit(1);
    }
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}

/** The error as it may be printed once users' requests are in memory. Logs those that are bugs. */
export function withoutMessage(error: unknown, log: Log): unknown {
  if (isForOperator(error)) return error;
  for (const inner of error instanceof AggregateError ? error.errors : [error]) log.unexpected(inner);
  return new UnexpectedEnd(error);
}

const classOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error);
