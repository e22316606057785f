import type { KeyLabel as Label } from "../../../src/core/usage/usage-views.js";

/** A key by its name and its last four characters, which tell it from others of that name. */
export function KeyLabel({ name, lastFour }: Label) {
  return (
    <span className="wrap-anywhere">
      {name}
      {lastFour !== null && <span className="font-mono text-sm whitespace-nowrap"> …{lastFour}</span>}
    </span>
  );
}
