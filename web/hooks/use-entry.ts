import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Me } from "../../src/protocol/dashboard/api.js";
import { queries } from "../service/queries.ts";
import { forgetAccount, tellTabs } from "../service/session.ts";

/** A form that signs someone in: sends it, and tells every page who is signed in now. */
export function useEntry<Body>(enter: (body: Body) => Promise<Me>, onEntered: () => void = () => undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: enter,
    onSuccess: (me) => {
      // What was read before belonged to nobody or to someone else.
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
