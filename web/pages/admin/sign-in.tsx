import { useQuery, useQueryClient } from "@tanstack/react-query";
import { LogIn, Plus } from "lucide-react";
import { useState } from "react";
import type { ProviderView } from "../../../src/protocol/identity-provider.js";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { queries } from "../../service/queries.ts";
import { ProviderForm } from "./sign-in/provider-form.tsx";
import { ProviderTable } from "./sign-in/provider-table.tsx";

type Open = { type: "create" } | { type: "edit" | "delete"; provider: ProviderView } | null;

export default function SignInAdmin() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(adminQueries.providers);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        title="Single sign-on"
        description="Identity providers that people can sign in with, over OpenID Connect."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setOpen({ type: "create" })}>
            Add provider
          </Button>
        }
      />
      <div className="flex flex-col gap-6">
        {data?.isRequired === true && (
          <Callout title="Passwords are not accepted">
            <code className="font-mono">SOTTO_SIGN_IN=oidc</code> is set. If no provider works,{" "}
            <code className="font-mono">sotto open</code> on the server signs an admin in.
          </Callout>
        )}
        <Card flush>
          <ProviderTable
            rows={data?.providers}
            error={error}
            onRetry={refetch}
            onEdit={(provider) => setOpen({ type: "edit", provider })}
            onDelete={(provider) => setOpen({ type: "delete", provider })}
            empty={
              <EmptyState icon={<LogIn />} title="No identity providers yet">
                People sign in with an email address and a password.
              </EmptyState>
            }
          />
        </Card>
      </div>
      {open?.type === "create" && data !== undefined && (
        <ProviderForm provider={null} list={data} onClose={close} />
      )}
      {open?.type === "edit" && data !== undefined && (
        <ProviderForm provider={open.provider} list={data} onClose={close} />
      )}
      {open?.type === "delete" && (
        <ConfirmDialog
          open
          onOpenChange={close}
          title="Delete provider"
          confirm="Delete provider"
          onConfirm={async () => {
            await adminApi.deleteProvider(open.provider.id);
            toast(`${open.provider.name} deleted`);
            await Promise.all([
              client.invalidateQueries({ queryKey: adminQueries.providers.queryKey }),
              client.invalidateQueries({ queryKey: queries.site.queryKey }),
            ]);
          }}
        >
          Nobody can sign in with{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.provider.name}</strong> any more.
          Accounts and sessions stay, and stay linked: adding it again restores it.
        </ConfirmDialog>
      )}
    </>
  );
}
