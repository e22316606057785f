import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { KeyWithSecret } from "../../../../src/protocol/dashboard/api.js";
import { queries } from "../../../service/queries.ts";

/** Creates or rotates a key. `data` has the new secret, which exists nowhere else. */
export function useIssueKey(issue: () => Promise<KeyWithSecret>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: issue,
    onSuccess: () => client.invalidateQueries({ queryKey: queries.keys.queryKey }),
    // The reply holds the secret: it must not stay in the cache of mutations.
    gcTime: 0,
  });
}
