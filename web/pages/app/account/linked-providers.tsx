/** The identity providers that the account is signed in to with. Absent where there are none to choose from. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { IdentitiesView } from "../../../../src/protocol/identity-provider.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Loaded } from "../../../components/states/loaded.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { api } from "../../../service/api.ts";
import { queries, useSite } from "../../../service/queries.ts";
import { problemText } from "../../sign-in-problem.ts";

type Linked = IdentitiesView["identities"][number];

export function LinkedProviders() {
  const { data: site } = useSite();
  const read = useQuery(queries.identities);
  const { data } = read;
  const [search] = useSearchParams();
  const [unlinking, setUnlinking] = useState<Linked | null>(null);
  const providers = site?.providers ?? [];
  if (providers.length === 0 && (data?.identities.length ?? 0) === 0) return null;
  const linked = new Set(data?.identities.map(({ providerId }) => providerId));
  const problem = problemText(search.get("problem"));
  return (
    <Card title="Identity providers" description="You can sign in to this account with these.">
      {problem !== undefined && (
        <Callout tone="bad" className="mb-5">
          {problem}
        </Callout>
      )}
      <Loaded query={read} what="your identity providers" lines={2}>
        {(data) => (
          <ul className="flex flex-col gap-4">
            {data.identities.map((identity) => (
              <li key={identity.id} className="flex items-center justify-between gap-4">
                <span className="min-w-0">
                  <span className="block font-medium wrap-anywhere">{identity.provider}</span>
                  <span className="block text-sm text-muted">
                    Last used <Time at={identity.lastUsedAt} />
                  </span>
                </span>
                <Button size="sm" onClick={() => setUnlinking(identity)}>
                  Unlink<span className="sr-only"> {identity.provider}</span>
                </Button>
              </li>
            ))}
            {providers
              .filter(({ id }) => !linked.has(id))
              .map((provider) => (
                <Unlinked key={provider.id} {...provider} />
              ))}
          </ul>
        )}
      </Loaded>
      {unlinking !== null && <Unlink identity={unlinking} onClose={() => setUnlinking(null)} />}
    </Card>
  );
}

function Unlinked({ id, name }: { id: string; name: string }) {
  const link = useChange(() => api.linkProvider({ provider: id }), {
    onDone: ({ url }) => location.assign(url),
    toastsErrors: true,
  });
  return (
    <li className="flex items-center justify-between gap-4">
      <span className="min-w-0">
        <span className="block font-medium wrap-anywhere">{name}</span>
        <span className="block text-sm text-muted">Not linked</span>
      </span>
      <Button size="sm" pending={link.isPending} onClick={() => link.mutate()}>
        Link<span className="sr-only"> {name}</span>
      </Button>
    </li>
  );
}

function Unlink({ identity, onClose }: { identity: Linked; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Unlink provider"
      confirm="Unlink"
      onConfirm={() => api.unlinkProvider(identity.id)}
      done={`${identity.provider} unlinked`}
      reads={[queries.identities.queryKey]}
    >
      You will not be able to sign in with{" "}
      <strong className="font-medium wrap-anywhere text-ink">{identity.provider}</strong> any more. Sessions
      and keys stay.
    </ConfirmDialog>
  );
}
