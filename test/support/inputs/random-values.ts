/** Values that a test draws: the same in every run of `npm test`, others each time in the deep suite. */
import { randomInt } from "node:crypto";
import { isDeep } from "../depth.js";
import { uniformNumbers } from "./uniform-numbers.js";

export interface RandomValues {
  /** Names the draw in a test's title, so that a failure can be repeated. */
  readonly seed: number;
  /** From 0 to below 1. */
  readonly fraction: () => number;
  /** From `from` to below `below`. */
  readonly int: (from: number, below: number) => number;
  readonly oneIn: (many: number) => boolean;
  readonly oneOf: <T>(...values: readonly T[]) => T;
  readonly several: <T>(make: () => T, most?: number) => T[];
  readonly bytes: (length: number) => Buffer;
}

export function randomValues(seed = isDeep ? randomInt(2 ** 31) : 1): RandomValues {
  const fraction = uniformNumbers(seed);
  const int = (from: number, below: number) => from + Math.floor(fraction() * (below - from));
  return {
    seed,
    fraction,
    int,
    oneIn: (many) => int(0, many) === 0,
    oneOf: <T>(...values: readonly T[]) => values[int(0, values.length)] as T,
    several: (make, most = 4) => Array.from({ length: int(0, most + 1) }, make),
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(0, 256))),
  };
}
