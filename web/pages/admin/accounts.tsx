import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { MailPlus, Search, UsersRound } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Input } from "../../components/controls/input.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useDebounced } from "../../hooks/use-debounced.ts";
import { queries } from "../../service/queries.ts";
import { AccountDialog, type AccountTask } from "./accounts/account-dialog.tsx";
import { AccountTable } from "./accounts/account-table.tsx";
import { InviteDialog } from "./accounts/invite-dialog.tsx";
import { Pager } from "./accounts/pager.tsx";

export default function Accounts() {
  const [address, setAddress] = useSearchParams();
  const typed = address.get("search") ?? "";
  const [page, setPage] = useState(0);
  const [inviting, setInviting] = useState(false);
  const [task, setTask] = useState<AccountTask | null>(null);
  const search = useDebounced(typed.trim());
  const { data, error, refetch } = useQuery({
    ...queries.admin.accounts(search, page),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Who may use the service. Nobody can see what they write, here or elsewhere."
        actions={
          <Button variant="primary" icon={<MailPlus />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      />
      <div className="relative mb-4 max-w-sm">
        <Search
          className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted"
          aria-hidden
        />
        <Input
          type="search"
          aria-label="Search accounts"
          placeholder="Search by email or id"
          autoComplete="off"
          spellCheck={false}
          className="pl-9"
          value={typed}
          onChange={(event) => {
            const { value } = event.target;
            setAddress(value === "" ? {} : { search: value }, { replace: true });
            setPage(0);
          }}
        />
      </div>
      <Card flush>
        <AccountTable
          rows={data?.accounts}
          error={error}
          onRetry={refetch}
          onTask={setTask}
          empty={
            <EmptyState
              icon={<UsersRound />}
              title={search === "" ? "No accounts yet" : "No matching accounts"}
            >
              {search === "" ? "Invite someone to get started." : "Try part of the email address."}
            </EmptyState>
          }
        />
        {data !== undefined && <Pager page={page} total={data.total} onPage={setPage} />}
      </Card>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {task !== null && <AccountDialog task={task} onClose={() => setTask(null)} />}
    </>
  );
}
