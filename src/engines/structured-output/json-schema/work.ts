/** The work that one schema takes, counted by all parts of the compiler in steps of about the same length. */
import { SchemaError } from "./schema.js";

/** Some hundred milliseconds at worst. An ordinary schema takes a few thousand. */
const maxWork = 5_000_000;
/** Comparing two schemas merges them first, or goes through their values. */
const stepsPerComparison = 50;

export class Work {
  spent = 0;

  /** Before the steps are taken. Throws `SchemaError`. */
  readonly spend = (steps: number): void => {
    const spent = this.spent + steps;
    if (spent <= maxWork) {
      this.spent = spent;
      return;
    }
    throw new SchemaError([], "it takes too long to compile");
  };

  /** The same for comparisons and lookups. */
  readonly compare = (parts: number): void => this.spend(parts * stepsPerComparison);
}
