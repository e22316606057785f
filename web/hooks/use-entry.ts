import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Me } from "../../src/protocol/dashboard.js";
import { queries } from "../queries.ts";

/** A form that ends signed in: sends it, and tells every page who is there now. */
export function useEntry<Body>(enter: (body: Body) => Promise<Me>, onEntered: () => void = () => undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: enter,
    onSuccess: (me) => {
      // What was read before belongs to nobody or to someone else.
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "site" });
      client.setQueryData(queries.site.queryKey, (site) =>
        site === undefined ? site : { ...site, me, needsSetup: false },
      );
      onEntered();
    },
  });
}
