import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FactorMethod } from "../../src/core/factors/second-step.js";
import type { Entry } from "../../src/protocol/dashboard/factors.js";
import { queries } from "../service/queries.ts";
import { forgetAccount, tellTabs } from "../service/session.ts";

/**
 * Submits a form that signs someone in, and updates every page. `step` is what the second step asks for, once the
 * password was right; null before that, and where nothing more is asked.
 */
export function useEntry<Body>(
  enter: (body: Body) => Promise<Entry>,
  onEntered: () => void = () => undefined,
) {
  const client = useQueryClient();
  const [step, setStep] = useState<FactorMethod[] | null>(null);
  const form = useMutation({
    mutationFn: enter,
    onSuccess: (entry) => {
      if ("next" in entry) {
        setStep(entry.methods);
        return;
      }
      // Earlier data was read signed out or for another account.
      forgetAccount(client);
      const { queryKey } = queries.site;
      client.setQueryData(queryKey, (site) => site && { ...site, me: entry, needsSetup: false });
      // Where it could not be read before.
      if (client.getQueryData(queryKey) === undefined) void client.invalidateQueries({ queryKey });
      tellTabs("signed in");
      onEntered();
    },
  });
  return { ...form, step, leaveStep: () => setStep(null) };
}
