import { useQuery, keepPreviousData } from "@tanstack/react-query";
import { MailPlus, UsersRound } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { mostAtOnce } from "../../../src/core/bounds.js";
import type { AccountView } from "../../../src/protocol/dashboard/api.js";
import { Button } from "../../components/controls/button.tsx";
import { CursorPager } from "../../components/controls/cursor-pager.tsx";
import { SearchInput } from "../../components/controls/search-input.tsx";
import { Tabs } from "../../components/controls/tabs.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { LastUsed } from "../../components/text/last-used.tsx";
import { actionsColumn, Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { useUrlSearch } from "../../hooks/use-url-search.ts";
import { adminQueries } from "../../service/admin.ts";
import { usePlans } from "../../service/use-plans.ts";
import { formatCount, plural } from "../../units.ts";
import { accountAddress } from "./accounts/account-address.ts";
import { AccountDialog, type AccountTask } from "./accounts/account-dialog.tsx";
import { AccountMenu, AccountStatus, SignInNote } from "./accounts/account-table.tsx";
import { BulkDialog, type BulkAction } from "./accounts/bulk-dialog.tsx";
import { InviteDialog } from "./accounts/invite-dialog.tsx";
import { InviteList } from "./accounts/invite-list.tsx";
import { RequiredFactor } from "./accounts/required-factor.tsx";
import { noSelection, SelectionActions, SelectionBar, type Selection } from "./accounts/selection-bar.tsx";

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

/** The cursors of the pages visited so far, the current one last. */
type Trail = readonly (string | undefined)[];
const firstPage: Trail = [undefined];

function AccountList() {
  const { typed, setTyped, search } = useUrlSearch();
  const [trail, setTrail] = useState(firstPage);
  const [task, setTask] = useState<AccountTask | null>(null);
  const [bulk, setBulk] = useState<BulkAction | null>(null);
  const [selection, setSelection] = useState<Selection>(noSelection);
  const list = useQuery({
    ...adminQueries.accounts(search, trail.at(-1)),
    placeholderData: keepPreviousData,
  });
  const [, navigate] = useLocation();
  const plans = usePlans();
  const next = list.data?.next ?? null;
  const hasNone = list.data === undefined ? list.error !== null : list.data.accounts.length === 0;
  const columns: Column<AccountView>[] = [
    {
      header: "Email",
      cell: (account) => <Email account={account} selection={selection} onSelect={setSelection} />,
      className: "max-w-80",
    },
    { header: "Plan", cell: (account) => plans.nameOf(account.planId) },
    { header: "Keys", align: "right", cell: (account) => formatCount(account.keys) },
    { header: "Created", cell: (account) => <Time at={account.createdAt} style="date" /> },
    { header: "Last used", cell: ({ lastUsedDay }) => <LastUsed day={lastUsedDay} /> },
    { header: "Status", cell: (account) => <AccountStatus account={account} /> },
    actionsColumn((account) => <AccountMenu account={account} onTask={setTask} />),
  ];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchInput
          label="Search accounts"
          placeholder="Search by email or id"
          className="w-full sm:max-w-sm"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            setTrail(firstPage);
          }}
        />
        {/* Its line is reserved before the number is known, to avoid a layout shift. */}
        {!hasNone && (
          <p className="min-h-5 text-sm text-muted tabular-nums">
            {list.data?.total != null && plural(list.data.total, "account")}
          </p>
        )}
      </div>
      {(!hasNone || selection.size > 0) && (
        <SelectionBar shown={list.data?.accounts ?? []} selection={selection} onSelect={setSelection} />
      )}
      <Card flush>
        <Table
          label="Accounts"
          compact
          columns={columns}
          rows={list.data?.accounts}
          rowId={(account) => account.id}
          query={list}
          onOpen={(account) => navigate(accountAddress(account.id))}
          empty={
            <EmptyState icon={<UsersRound />} title={emptyTitle(search, next)}>
              {search === "" ? "Invite someone to get started." : "Try part of the email address."}
            </EmptyState>
          }
        />
        <CursorPager
          onPrevious={trail.length > 1 ? () => setTrail(trail.slice(0, -1)) : undefined}
          onNext={next === null ? undefined : () => setTrail([...trail, next])}
        >
          Page {trail.length}
        </CursorPager>
      </Card>
      {selection.size > 0 && (
        <SelectionActions onClear={() => setSelection(noSelection)} onAction={setBulk} />
      )}
      {task !== null && <AccountDialog task={task} onClose={() => setTask(null)} />}
      {bulk !== null && (
        <BulkDialog
          action={bulk}
          accounts={[...selection.values()]}
          onChanged={(changed) => setSelection(without(selection, changed))}
          onClose={() => setBulk(null)}
        />
      )}
    </>
  );
}

interface EmailProps {
  account: AccountView;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

function Email({ account, selection, onSelect }: EmailProps) {
  const selected = selection.has(account.id);
  const toggle = () => {
    const next = new Map(selection);
    if (!next.delete(account.id)) next.set(account.id, account);
    onSelect(next);
  };
  return (
    <span className="flex min-w-0 items-center gap-3">
      <input
        type="checkbox"
        aria-label={`Select ${account.email}`}
        checked={selected}
        disabled={!selected && selection.size >= mostAtOnce}
        onChange={toggle}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link href={accountAddress(account.id)} className="rounded-sm hover:underline">
          <Address email={account.email} className="font-medium" />
        </Link>
        {account.role === "admin" && <Badge tone="accent">Admin</Badge>}
        <SignInNote account={account} />
      </span>
    </span>
  );
}

function emptyTitle(search: string, next: string | null): string {
  if (search === "") return "No accounts yet";
  return next === null ? "No matching accounts" : "None so far; the search continues on the next page";
}

/** Deselects accounts that were changed; refused ones stay selected. */
function without(selection: Selection, changed: readonly AccountView[]): Selection {
  const left = new Map(selection);
  for (const { id } of changed) left.delete(id);
  return left;
}
