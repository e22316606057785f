import type { Config } from "../config.js";

/** What a check of `sotto doctor` found. */
export interface Finding {
  name: string;
  /** `hint`: works, and could be better. */
  state: "ok" | "hint" | "broken";
  detail: string;
  /** What to do next. */
  next?: string;
}

/** Looks without changing anything, in bounded time. */
export type Check = (config: Config) => Promise<Finding[]>;
