import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Me } from "../../src/protocol/dashboard/api.js";
import { queries } from "../service/queries.ts";
import { forgetAccount, tellTabs } from "../service/session.ts";

/** Submits a form that signs someone in, and updates every page. */
export function useEntry<Body>(enter: (body: Body) => Promise<Me>, onEntered: () => void = () => undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: enter,
    onSuccess: (me) => {
      // Earlier data was read signed out or for another account.
      forgetAccount(client);
      const { queryKey } = queries.site;
      client.setQueryData(queryKey, (site) => site && { ...site, me, needsSetup: false });
      // Where it could not be read before.
      if (client.getQueryData(queryKey) === undefined) void client.invalidateQueries({ queryKey });
      tellTabs("signed in");
      onEntered();
    },
  });
}
