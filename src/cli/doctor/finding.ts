import type { Config } from "../../config.js";

/** What a check of `sotto doctor` found. */
export interface Finding {
  name: string;
  /** `hint`: works, and could be better. */
  state: "ok" | "hint" | "broken";
  detail: string;
  /** What to do next. */
  next?: string;
}

export interface CheckOptions {
  /** Tries the GPU again, whatever is remembered of it. */
  probe: boolean;
}

/** Looks without changing anything, unless asked to, in bounded time. */
export type Check = (config: Config, options: CheckOptions) => Promise<Finding[]>;
