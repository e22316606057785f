/** The identity providers that someone with an invitation can choose. It is sent in a body: addresses end up in logs. */
import { useMutation } from "@tanstack/react-query";
import type { Site } from "../../src/protocol/dashboard/api.js";
import { Or, ProviderChoice } from "../components/controls/provider-buttons.tsx";
import { Callout } from "../components/states/callout.tsx";
import { api } from "../service/api.ts";

interface InvitedProvidersProps {
  providers: Site["providers"];
  invite: string;
  /** Whether there is another way above them. */
  isSecond: boolean;
}

export function InvitedProviders({ providers, invite, isSecond }: InvitedProvidersProps) {
  const start = useMutation({
    mutationFn: (provider: string) => api.signUpInvited({ provider, invite }),
    onSuccess: ({ url }) => location.assign(url),
    gcTime: 0,
  });
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {isSecond && <Or />}
      {start.error !== null && <Callout tone="bad">{start.error.message}</Callout>}
      <ProviderChoice
        providers={providers}
        isSecond={isSecond}
        pending={start.isPending ? start.variables : undefined}
        onChoose={start.mutate}
      />
    </div>
  );
}
