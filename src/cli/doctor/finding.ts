import type { Config } from "../../config.js";

export interface Finding {
  name: string;
  /** `hint`: it works, but could be better. */
  state: "ok" | "hint" | "broken";
  detail: string;
  next?: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, state: "ok", detail });
export const hint = (name: string, detail: string, next: string): Finding => ({
  ...{ name, state: "hint", detail, next },
});
export const broken = (name: string, detail: string, next?: string): Finding => ({
  ...{ name, state: "broken", detail },
  ...(next === undefined ? {} : { next }),
});

export interface CheckOptions {
  /** Probes the GPU again instead of using the cached result. */
  probe: boolean;
}

/** Takes bounded time and changes nothing, except the cached result of `probe`. */
export type Check = (config: Config, options: CheckOptions) => Promise<Finding[]>;
