import { LogOut } from "lucide-react";
import { useState } from "react";
import type { Me } from "../../../src/protocol/dashboard/api.js";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { Time } from "../../components/text/time.tsx";
import { useDeparture } from "../../hooks/use-sign-out.ts";
import { useMe } from "../../hooks/use-me.ts";
import { api } from "../../service/api.ts";
import { useSite } from "../../service/queries.ts";
import { CachedNow } from "./account/cached-now.tsx";
import { ChangePassword } from "./account/change-password.tsx";
import { DeleteAccount } from "./account/delete-account.tsx";
import { EmailAddress } from "./account/email-address.tsx";
import { LinkedProviders } from "./account/linked-providers.tsx";
import { StoredAboutYou } from "./account/stored-about-you.tsx";
import { OwnTeams } from "./account/teams.tsx";
import { VerifyAddress } from "./account/verify-address.tsx";

export default function Account() {
  const me = useMe();
  const { data: site } = useSite();
  return (
    <>
      <PageHeader title="Account" description="Your sign-in, and what is stored about you." />
      <div className="flex flex-col gap-6">
        <VerifyAddress />
        <Identity me={me} />
        <OwnTeams />
        <EmailAddress email={me.account.email} />
        <LinkedProviders />
        {site?.signIn !== "oidc" && <ChangePassword email={me.account.email} />}
        <CachedNow />
        <StoredAboutYou />
        <DeleteAccount email={me.account.email} />
      </div>
    </>
  );
}

function Identity({ me }: { me: Me }) {
  const [asking, setAsking] = useState(false);
  const depart = useDeparture();
  const { data: site } = useSite();
  const { email, isEmailVerified, role, createdAt } = me.account;
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Address email={email} className="text-lg font-medium" />
            {role === "admin" && <Badge tone="accent">Admin</Badge>}
            {site?.canMail === true && !isEmailVerified && <Badge tone="warn">Unverified</Badge>}
          </p>
          <p className="text-sm text-muted">
            {me.plan.name} plan, since <Time at={createdAt} style="date" />
          </p>
        </div>
        <Button icon={<LogOut />} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere"
          tone="primary"
          onConfirm={async () => {
            await api.signOutEverywhere();
            depart("/sign-in");
          }}
          onClose={() => setAsking(false)}
        >
          All browsers will be signed out, including this one. Your keys keep working.
        </ConfirmDialog>
      )}
    </Card>
  );
}
