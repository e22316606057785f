import { LogOut } from "lucide-react";
import { useState } from "react";
import type { Me } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/breakable.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useDeparture } from "../../../hooks/use-departure.ts";
import { useSite } from "../../../service/queries.ts";

export function Identity({ me }: { me: Me }) {
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
