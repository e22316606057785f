import type { Config } from "../../config.js";

export interface Finding {
  name: string;
  /** `hint`: it works, but could be better. */
  state: "ok" | "hint" | "broken";
  detail: string;
  next?: string;
}

export interface CheckOptions {
  /** Probes the GPU again instead of using the cached result. */
  probe: boolean;
}

/** Takes bounded time and changes nothing, except the cached result of `probe`. */
export type Check = (config: Config, options: CheckOptions) => Promise<Finding[]>;
