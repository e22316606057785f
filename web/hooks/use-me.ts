import { createContext, use } from "react";
import type { Me } from "../../src/protocol/dashboard/api.js";

/** Set by the layout of the signed-in pages. */
export const MeContext = createContext<Me | null>(null);

/**
 * The account this page belongs to. Unlike the site's `me`, it outlives the session: the page stays as it is until
 * the next sign-in.
 */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error("useMe() is for the signed-in pages");
  return me;
}
