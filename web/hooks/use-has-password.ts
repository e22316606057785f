import { useQuery } from "@tanstack/react-query";
import { queries } from "../service/queries.ts";

/** False for an account that is signed in to with identity providers only; until it is known, true. */
export function useHasPassword(): boolean {
  return useQuery(queries.identities).data?.hasPassword ?? true;
}
