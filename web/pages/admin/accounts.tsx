import { useQuery } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Tabs } from "../../components/controls/tabs.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { adminQueries } from "../../service/admin.ts";
import { formatCount } from "../../units.ts";
import { AccountList } from "./accounts/account-list.tsx";
import { InviteDialog } from "./accounts/invite-dialog.tsx";
import { InviteList } from "./accounts/invite-list.tsx";
import { RequiredFactor } from "./accounts/required-factor.tsx";

export default function Accounts() {
  const [{ tab }, setFilters] = useUrlFilters({ tab: "accounts" });
  const [inviting, setInviting] = useState(false);
  const { data } = useQuery(adminQueries.invites);
  const pending = data?.invites.length ?? 0;
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Everyone who can use the service. Sotto does not store what they write, so no page shows it."
        actions={
          <Button variant="primary" icon={<MailPlus />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      />
      <Tabs
        label="Accounts and invitations"
        value={tab === "invitations" || tab === "second-factor" ? tab : "accounts"}
        onValueChange={(chosen) => setFilters({ tab: chosen })}
        items={[
          { id: "accounts", label: "Accounts", content: <AccountList /> },
          {
            id: "invitations",
            label: pending === 0 ? "Invitations" : `Invitations (${formatCount(pending)})`,
            content: <InviteList onInvite={() => setInviting(true)} />,
          },
          { id: "second-factor", label: "Second factor", content: <RequiredFactor /> },
        ]}
      />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
