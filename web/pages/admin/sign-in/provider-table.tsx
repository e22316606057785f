import { Pencil, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { ProviderView } from "../../../../src/protocol/identity-provider.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Breakable } from "../../../components/text/breakable.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { plural } from "../../../units.ts";

interface ProviderTableProps {
  rows: ProviderView[] | undefined;
  error: Error | null;
  onRetry: () => unknown;
  onEdit: (provider: ProviderView) => void;
  onDelete: (provider: ProviderView) => void;
  empty: ReactNode;
}

export function ProviderTable({ onEdit, onDelete, ...table }: ProviderTableProps) {
  const columns: Column<ProviderView>[] = [
    {
      id: "name",
      header: "Provider",
      cell: (provider) => <Name provider={provider} />,
      className: "max-w-80",
    },
    { id: "sign-up", header: "Creates accounts", cell: signUpText },
    {
      id: "groups",
      header: "Groups",
      cell: ({ groupClaim, groups }) => (groupClaim === null ? "Not used" : plural(groups.length, "rule")),
    },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (provider) =>
        provider.isConfigured ? null : (
          <span className="-mr-2 inline-flex">
            <IconButton label={`Edit ${provider.name}`} onClick={() => onEdit(provider)}>
              <Pencil />
            </IconButton>
            <IconButton label={`Delete ${provider.name}`} onClick={() => onDelete(provider)}>
              <Trash2 />
            </IconButton>
          </span>
        ),
    },
  ];
  return <Table label="Identity providers" columns={columns} rowId={({ id }) => id} {...table} />;
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
