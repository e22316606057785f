/**
 * Points standard error at the null device, as dup2 would: opening a file takes the lowest free descriptor. Native
 * code prints what it likes, and from here on conversations pass through it.
 */
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

const standardError = 2;

export function silenceStandardError(): void {
  closeSync(standardError);
  if (openSync(devNull, "w") !== standardError) {
    throw new Error("Standard error could not be pointed at the null device.");
  }
}
