import { WeightsError } from "../weights-error.js";

/** Space was looked at before; another process can have taken it since. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

export const fullDisk = (target: string): WeightsError =>
  new WeightsError(
    `The disk became full while ${target} was written. Make room, or set SOTTO_DATA_DIR to a folder on another disk.`,
  );
