import { useQuery } from "@tanstack/react-query";
import { LogIn, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ProviderView } from "../../../src/protocol/identity-provider.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { queries } from "../../service/queries.ts";
import { ProviderForm } from "./sign-in/provider-form.tsx";
import { Breakable } from "../../components/text/breakable.tsx";
import { actionsColumn, Table, type Column } from "../../components/text/table.tsx";
import { plural } from "../../units.ts";

type Open = { type: "create" } | { type: "edit" | "delete"; provider: ProviderView } | null;

export default function SignInAdmin() {
  const list = useQuery(adminQueries.providers);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<ProviderView>[] = [
    {
      header: "Provider",
      cell: (provider) => <Name provider={provider} />,
      className: "max-w-80",
    },
    { header: "Creates accounts", cell: signUpText },
    {
      header: "Groups",
      cell: ({ groupClaim, groups }) => (groupClaim === null ? "Not used" : plural(groups.length, "rule")),
    },
    actionsColumn((provider) =>
      provider.isConfigured ? null : (
        <span className="-mr-2 inline-flex">
          <IconButton label={`Edit ${provider.name}`} onClick={() => setOpen({ type: "edit", provider })}>
            <Pencil />
          </IconButton>
          <IconButton label={`Delete ${provider.name}`} onClick={() => setOpen({ type: "delete", provider })}>
            <Trash2 />
          </IconButton>
        </span>
      ),
    ),
  ];
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
        {list.data?.isRequired === true && (
          <Callout title="Passwords are not accepted">
            <code className="font-mono">SOTTO_SIGN_IN=oidc</code> is set. If no provider works,{" "}
            <code className="font-mono">sotto open</code> on the server signs an admin in.
          </Callout>
        )}
        <Card flush>
          <Table
            label="Identity providers"
            columns={columns}
            rows={list.data?.providers}
            rowId={({ id }) => id}
            query={list}
            empty={
              <EmptyState icon={<LogIn />} title="No identity providers yet">
                People sign in with an email address and a password.
              </EmptyState>
            }
          />
        </Card>
      </div>
      {open?.type === "create" && list.data !== undefined && (
        <ProviderForm provider={null} list={list.data} onClose={close} />
      )}
      {open?.type === "edit" && list.data !== undefined && (
        <ProviderForm provider={open.provider} list={list.data} onClose={close} />
      )}
      {open?.type === "delete" && (
        <ConfirmDialog
          onClose={close}
          title="Delete provider"
          onConfirm={() => adminApi.deleteProvider(open.provider.id)}
          done={`${open.provider.name} deleted`}
          reads={[adminQueries.providers.queryKey, queries.site.queryKey]}
        >
          Nobody can sign in with{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.provider.name}</strong> any more.
          Accounts and sessions stay, and stay linked: adding it again restores it.
        </ConfirmDialog>
      )}
    </>
  );
}

function Name({ provider }: { provider: ProviderView }) {
  return (
    <span className="block min-w-0">
      <span className="block font-medium wrap-anywhere">{provider.name}</span>
      <Breakable text={provider.issuer} after="/.-" className="block text-sm text-muted" />
      {provider.isConfigured && <span className="block text-sm text-muted">Set in the configuration</span>}
    </span>
  );
}

function signUpText({ signUp, domains }: ProviderView): string {
  if (signUp === "domains") return `For ${domains.join(", ") || "no domain"}`;
  return signUp === "anyone" ? "For anyone" : "For nobody";
}
