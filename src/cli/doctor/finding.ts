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

/**
 * Takes bounded time and changes nothing. `probe`: the GPU is probed again instead of using the cached result, which is
 * replaced.
 */
export type Check = (config: Config, options: { probe: boolean }) => Promise<Finding[]>;
