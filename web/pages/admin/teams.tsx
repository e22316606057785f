/** Teams, for admins. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus, Users } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { teamsPageSize, longest } from "../../../src/core/bounds.js";
import type { AdminTeam } from "../../../src/protocol/dashboard/teams.js";
import { Button } from "../../components/controls/button.tsx";
import { CursorPager } from "../../components/controls/cursor-pager.tsx";
import { Field, Input, Select, verbatim } from "../../components/controls/field.tsx";
import { SearchInput } from "../../components/controls/search-input.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { FormDialog } from "../../components/overlays/form-dialog.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { useUrlSearch } from "../../hooks/use-url-search.ts";
import { teamQueries, teamApi } from "../../service/teams.ts";
import { usePlans } from "../../service/use-plans.ts";
import { formatCount } from "../../units.ts";

export default function AdminTeams() {
  const { typed, setTyped, search } = useUrlSearch();
  const [page, setPage] = useState(0);
  const [creating, setCreating] = useState(false);
  const [, navigate] = useLocation();
  const list = useQuery({
    ...teamQueries.admin.list(search, page),
    placeholderData: keepPreviousData,
  });
  const plans = usePlans();
  const columns: Column<AdminTeam>[] = [
    {
      header: "Team",
      cell: (team) => (
        <Link
          href={`/admin/teams/${team.id}`}
          className="rounded-sm font-medium wrap-anywhere text-accent hover:underline"
        >
          {team.name}
        </Link>
      ),
    },
    { header: "Plan", cell: (team) => plans.nameOf(team.planId) },
    { header: "Members", align: "right", cell: (team) => formatCount(team.members) },
    { header: "Keys", align: "right", cell: (team) => formatCount(team.keys) },
    { header: "Created", cell: (team) => <Time at={team.createdAt} style="date" /> },
    {
      header: "Status",
      cell: (team) =>
        team.suspendedAt === null ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>,
    },
  ];
  const last = Math.min(list.data?.total ?? 0, (page + 1) * teamsPageSize);
  return (
    <>
      <PageHeader
        title="Teams"
        description="Groups of accounts that share keys, a plan and quotas. Their owners manage members and invitations."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setCreating(true)}>
            Create team
          </Button>
        }
      />
      <div className="mb-4">
        <SearchInput
          label="Search teams"
          placeholder="Search by name or id"
          className="w-full sm:max-w-sm"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            setPage(0);
          }}
        />
      </div>
      <Card flush>
        <Table
          label="Teams"
          columns={columns}
          rows={list.data?.teams}
          rowId={(team) => team.id}
          query={list}
          onOpen={(team) => navigate(`/admin/teams/${team.id}`)}
          empty={
            <EmptyState icon={<Users />} title={search === "" ? "No teams yet" : "No matching teams"}>
              {search === "" ? "Create one for people who share a budget." : "Try part of the name."}
            </EmptyState>
          }
        />
        <CursorPager
          onPrevious={page > 0 ? () => setPage(page - 1) : undefined}
          onNext={last < (list.data?.total ?? 0) ? () => setPage(page + 1) : undefined}
        >
          {formatCount(last)} of {formatCount(list.data?.total ?? 0)}
        </CursorPager>
      </Card>
      {creating && <CreateTeamDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function CreateTeamDialog({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [ownerEmail, setOwnerEmail] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const { options } = usePlans();
  const planId = chosen ?? options[0]?.value ?? "";
  const create = useChange(() => teamApi.admin.create({ name, planId, ownerEmail: ownerEmail.trim() }), {
    done: ({ team }) => `${team.name} created`,
    onDone: ({ team }) => navigate(`/admin/teams/${team.id}`),
    reads: [["admin"], ["teams"]],
  });

  return (
    <FormDialog title="Create team" change={create} onClose={onClose}>
      <Field label="Name" name="name">
        <Input value={name} maxLength={longest.teamName} autoComplete="off" onValue={setName} />
      </Field>
      <Field
        label="Owner"
        hint="The email address of an account. The owner invites the others."
        name="ownerEmail"
      >
        <Input
          type="email"
          maxLength={longest.email}
          {...verbatim}
          value={ownerEmail}
          onValue={setOwnerEmail}
        />
      </Field>
      <Field label="Plan" name="planId">
        <Select value={planId} onValue={setChosen} options={options} />
      </Field>
    </FormDialog>
  );
}
