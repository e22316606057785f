import { useQuery } from "@tanstack/react-query";
import { Ban, ChartColumn, CirclePlay, CirclePause, Ellipsis, Pencil, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import type { ListedKeyView, KeyReference } from "../../../../src/protocol/dashboard/keys.js";
import type { MemberView } from "../../../../src/protocol/dashboard/teams.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "../../../components/controls/menu.tsx";
import { modelsText } from "../../../components/models/model-name.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { LastUsed } from "../../../components/text/last-used.tsx";
import { Table, type Column, type TableQuery, actionsColumn } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { useSpace } from "../../../hooks/use-space.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";
import { limitsText } from "./key-limits-field.tsx";
import { canRotate, hasEnded, KeyStatus } from "./key-status.tsx";
import { useKeySwitch } from "./use-key-switch.ts";

export interface KeyTask {
  type: "edit" | "rotate" | "revoke";
  key: ListedKeyView;
}

interface KeyTableProps {
  rows: readonly ListedKeyView[] | undefined;
  /** In a team: whose keys they are. */
  members?: readonly MemberView[] | undefined;
  query: TableQuery;
  onTask: (task: KeyTask) => void;
  /** Shows the key of this id. */
  onFind: (id: string) => void;
  empty: ReactNode;
}

export function KeyTable(props: KeyTableProps) {
  const { rows, members, query, onTask, onFind, empty } = props;
  const space = useSpace();
  const { data: usage } = useQuery(queries.keyUsage(space.id));
  const usedBy = (id: string) => usage?.keys.find(({ keyId }) => keyId === id);
  const keySwitch = useKeySwitch();
  const columns: Column<ListedKeyView>[] = [
    {
      header: "Name",
      cell: (key) => <KeyName apiKey={key} onFind={onFind} />,
      className: "max-w-72",
    },
    {
      header: "Key",
      cell: (key) => <code className="font-mono text-sm whitespace-nowrap">sk-sotto-…{key.lastFour}</code>,
    },
    ...(space.id === null ? [] : [ownerColumn(members)]),
    { header: "Created", cell: (key) => <Time at={key.createdAt} style="date" /> },
    {
      header: "Last used",
      cell: (key) => <LastUsed day={key.lastUsedDay} model={key.lastUsedModel} />,
    },
    {
      header: "7 days",
      align: "right",
      cell: (key) => (
        <KeyUsage apiKey={key} requests={usage === undefined ? undefined : (usedBy(key.id)?.requests ?? 0)} />
      ),
    },
    { header: "Status", cell: (key) => <Status apiKey={key} /> },
    actionsColumn((key) =>
      hasEnded(key) ? null : (
        <KeyMenu
          apiKey={key}
          onSwitch={() => keySwitch.mutate({ id: key.id, enable: key.status === "disabled" })}
          onTask={(type) => onTask({ type, key })}
        />
      ),
    ),
  ];
  return (
    <Table
      label={space.id === null ? "Your keys" : "Keys of the team"}
      // An address is not short.
      compact={space.id === null}
      columns={columns}
      rows={rows}
      rowId={(key) => key.id}
      query={query}
      empty={empty}
    />
  );
}

const ownerColumn = (members: readonly MemberView[] | undefined): Column<ListedKeyView> => ({
  header: "Belongs to",
  cell: ({ memberId }) =>
    memberId === null ? (
      <Badge>Service key</Badge>
    ) : (
      <Address email={members?.find(({ accountId }) => accountId === memberId)?.email ?? "a former member"} />
    ),
});

function KeyUsage({ apiKey, requests }: { apiKey: KeyView; requests: number | undefined }) {
  return (
    <Link
      href={useUsageAddress(apiKey.id)}
      title={`Usage of ${apiKey.name}`}
      className="rounded-sm whitespace-nowrap text-accent hover:underline @max-[50rem]:whitespace-normal"
    >
      {requests === undefined ? "…" : plural(requests, "request")}
    </Link>
  );
}

const useUsageAddress = (id: string): string =>
  `${useSpace().address("/usage")}?period=7d&key=${encodeURIComponent(id)}`;

function KeyName({ apiKey, onFind }: { apiKey: ListedKeyView; onFind: (id: string) => void }) {
  const limits = limitsText(apiKey.limits);
  return (
    <span className="block min-w-0">
      <span className="block font-medium wrap-anywhere">{apiKey.name}</span>
      {apiKey.models !== null && (
        <span className="block text-sm text-muted">Only {modelsText(apiKey.models)}</span>
      )}
      {apiKey.scopes.length > 0 && (
        <span className="block text-sm text-muted">For the operator’s API: {apiKey.scopes.join(", ")}</span>
      )}
      {limits !== null && <span className="block text-sm text-muted">At most {limits}</span>}
      <KeyLineage apiKey={apiKey} onFind={onFind} />
      {apiKey.tags.length > 0 && (
        <span className="mt-1 flex flex-wrap gap-1.5">
          {apiKey.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      )}
    </span>
  );
}

function Status({ apiKey }: { apiKey: KeyView }) {
  const until = apiKey.worksUntil ?? apiKey.expiresAt;
  return (
    <span className="flex flex-col items-start gap-1 @max-[30rem]:items-end">
      <KeyStatus status={apiKey.status} />
      {until !== null && !hasEnded(apiKey) && (
        <span className="text-sm whitespace-nowrap text-muted">
          ends <Time at={until} isAhead />
        </span>
      )}
    </span>
  );
}

interface KeyMenuProps {
  apiKey: KeyView;
  onSwitch: () => void;
  onTask: (type: KeyTask["type"]) => void;
}

function KeyMenu({ apiKey, onSwitch, onTask }: KeyMenuProps) {
  const disabled = apiKey.status === "disabled";
  const usage = useUsageAddress(apiKey.id);
  const { account } = useMe();
  // Nobody gets a key in the name of another member.
  const isMine = apiKey.memberId === null || apiKey.memberId === account.id;
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${apiKey.name}`} className="-mr-2">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil />} onSelect={() => onTask("edit")}>
        Edit…
      </MenuItem>
      <MenuLink icon={<ChartColumn />} href={usage}>
        Usage
      </MenuLink>
      <MenuItem icon={disabled ? <CirclePlay /> : <CirclePause />} onSelect={onSwitch}>
        {disabled ? "Enable" : "Disable"}
      </MenuItem>
      {canRotate(apiKey) && isMine && (
        <MenuItem icon={<RefreshCw />} onSelect={() => onTask("rotate")}>
          Rotate…
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Ban />} tone="danger" onSelect={() => onTask("revoke")}>
        Revoke…
      </MenuItem>
    </Menu>
  );
}

interface KeyLineageProps {
  apiKey: ListedKeyView;
  /** Shows that key. */
  onFind: (id: string) => void;
}

/** Which key replaced which, after a rotation. */
function KeyLineage({ apiKey: { replaces, replacedBy }, onFind }: KeyLineageProps) {
  return (
    <>
      {replaces !== null && <Line word="Replaces" other={replaces} onFind={onFind} />}
      {replacedBy !== null && <Line word="Replaced by" other={replacedBy} onFind={onFind} />}
    </>
  );
}

interface LineProps {
  word: string;
  other: KeyReference;
  onFind: (id: string) => void;
}

function Line({ word, other, onFind }: LineProps) {
  return (
    <span className="block text-sm text-muted">
      {word}{" "}
      <button
        type="button"
        title={other.name}
        onClick={() => onFind(other.id)}
        className="rounded-sm font-mono text-accent underline-offset-2 hover:underline"
      >
        …{other.lastFour}
      </button>
    </span>
  );
}
