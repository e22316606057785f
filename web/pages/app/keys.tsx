import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { keysPageSize } from "../../../src/core/bounds.js";
import { Button } from "../../components/controls/button.tsx";
import { CursorPager } from "../../components/controls/cursor-pager.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { useSpace } from "../../hooks/use-space.ts";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { mayManage, useTeam } from "../../service/teams.ts";
import { formatCount, plural } from "../../units.ts";
import { CreateKeyDialog } from "./keys/create-key-dialog.tsx";
import { EditKeyDialog } from "./keys/edit-key-dialog.tsx";
import { isNarrowed, KeyFilters, usualFilters, toQuery } from "./keys/key-filters.tsx";
import { KeyTable, type KeyTask } from "./keys/key-table.tsx";
import { RevokeKeyDialog } from "./keys/revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./keys/rotate-key-dialog.tsx";

type Open = { type: "create" } | KeyTask | null;

export default function Keys() {
  const [filters, change] = useUrlFilters(usualFilters);
  const query = toQuery(filters);
  const space = useSpace();
  const { data: team } = useTeam(space.id);
  const list = useQuery({
    ...queries.keyPage(query, space.id),
    placeholderData: keepPreviousData,
  });
  const { data } = list;
  const [open, setOpen] = useState<Open>(null);
  const me = useMe();
  const plan = space.id === null ? me.plan : team?.plan;
  const create = () => setOpen({ type: "create" });
  const close = () => setOpen(null);
  const page = query.page ?? 0;
  const [all, total, ended] = [data?.all ?? 0, data?.total ?? 0, data ? data.all - data.working : 0];
  const lastOnPage = Math.min(total, (page + 1) * keysPageSize);
  const toPage = (next: number) => () => change({ page: String(next) });
  return (
    <>
      <PageHeader
        title="Keys"
        description={
          plan &&
          (space.id === null
            ? `A key lets a program use the API on your behalf. The ${plan.name} plan allows ${plural(plan.maxKeys, "key")}.`
            : `Keys of ${team?.name ?? "the team"}. Your own keys stop working when you leave the team; service keys stay.`)
        }
        actions={
          <Button variant="primary" icon={<Plus />} onClick={create}>
            Create key
          </Button>
        }
      />
      {data?.all === 0 ? (
        <Card>
          <NoKeys title="No keys yet" onCreate={create} />
        </Card>
      ) : (
        <>
          {/* Also while the list loads, to avoid a layout shift. */}
          <KeyFilters value={filters} onChange={change} tags={data?.tags ?? []} />
          <Card flush>
            <KeyTable
              rows={data?.keys}
              members={team?.members}
              query={list}
              onTask={setOpen}
              onFind={(id) => change({ ...usualFilters, status: "all", search: id })}
              empty={
                isNarrowed(filters) ? (
                  <EmptyState
                    icon={<KeyRound />}
                    title="No matching keys"
                    action={<Button onClick={() => change(usualFilters)}>Clear filters</Button>}
                  >
                    {`Searched ${plural(all, "key")}.`}
                  </EmptyState>
                ) : (
                  <NoKeys title="No working keys" onCreate={create} />
                )
              }
            />
            <CursorPager
              onPrevious={page > 0 ? toPage(page - 1) : undefined}
              onNext={lastOnPage < total ? toPage(page + 1) : undefined}
            >
              {formatCount(Math.min(total, page * keysPageSize + 1))} to {formatCount(lastOnPage)} of{" "}
              {formatCount(total)}
            </CursorPager>
          </Card>
        </>
      )}
      {ended > 0 && filters.status === usualFilters.status && (
        <div className="mt-3 -ml-2.5">
          <Button size="sm" variant="quiet" onClick={() => change({ status: "all", page: "0" })}>
            Show {plural(ended, "key")} no longer in use
          </Button>
        </div>
      )}
      {open?.type === "create" && plan && (
        <CreateKeyDialog
          plan={plan}
          canBeService={mayManage(team?.role)}
          canHaveScopes={space.id === null && me.account.role === "admin"}
          onClose={close}
        />
      )}
      {open?.type === "edit" && plan && <EditKeyDialog apiKey={open.key} plan={plan} onClose={close} />}
      {open?.type === "rotate" && <RotateKeyDialog apiKey={open.key} onClose={close} />}
      {open?.type === "revoke" && (
        <RevokeKeyDialog
          apiKey={open.key}
          onClose={close}
          revoke={() => api.setKey(open.key.id, "revoke", space.id)}
        />
      )}
    </>
  );
}

function NoKeys({ title, onCreate }: { title: string; onCreate: () => void }) {
  return (
    <EmptyState icon={<KeyRound />} title={title} action={<Button onClick={onCreate}>Create key</Button>}>
      Programs send a key with each request. It is shown once, when it is created.
    </EmptyState>
  );
}
