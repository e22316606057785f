import { InvalidArgumentError } from "commander";

import { largestQuota } from "../core/bounds.js";

const largest = 1_000_000_000;

/** A whole number of at least 1: reads an option's value for commander. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= largest) return count;
  throw new InvalidArgumentError(`Write a whole number from 1 to ${largest}.`);
}

/** Likewise, for what is counted by the day or the month. */
export function parseQuota(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= largestQuota) return count;
  throw new InvalidArgumentError(`Write a whole number from 1 to ${largestQuota}.`);
}
