import { Ban, CirclePlay, CirclePause, Ellipsis, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { KeyView } from "../../../../src/protocol/dashboard-api.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { modelsText } from "../../../components/models/model-name.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { hasEnded, KeyStatus } from "./key-status.tsx";
import { limitsText } from "./key-limits-field.tsx";
import { useKeySwitch } from "./use-key-switch.ts";

interface KeyTableProps {
  rows: KeyView[] | undefined;
  error: Error | null;
  onRetry: () => unknown;
  onRotate: (key: KeyView) => void;
  onRevoke: (key: KeyView) => void;
  empty: ReactNode;
}

export function KeyTable({ rows, error, onRetry, onRotate, onRevoke, empty }: KeyTableProps) {
  const keySwitch = useKeySwitch();
  const columns: Column<KeyView>[] = [
    { id: "name", header: "Name", cell: (key) => <KeyName apiKey={key} />, className: "max-w-72" },
    {
      id: "key",
      header: "Key",
      cell: (key) => <code className="font-mono text-sm whitespace-nowrap">sk-sotto-…{key.lastFour}</code>,
    },
    { id: "created", header: "Created", cell: (key) => <Time at={key.createdAt} style="date" /> },
    {
      id: "used",
      header: "Last used",
      cell: (key) =>
        key.lastUsedAt === null ? <span className="text-muted">Never</span> : <Time at={key.lastUsedAt} />,
    },
    { id: "status", header: "Status", cell: (key) => <Status apiKey={key} /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (key) =>
        hasEnded(key) ? null : (
          <KeyMenu
            apiKey={key}
            onSwitch={() => keySwitch.mutate({ id: key.id, enable: key.status === "disabled" })}
            onRotate={() => onRotate(key)}
            onRevoke={() => onRevoke(key)}
          />
        ),
    },
  ];
  return (
    <Table
      label="Your keys"
      columns={columns}
      rows={rows}
      rowId={(key) => key.id}
      error={error}
      onRetry={onRetry}
      empty={empty}
    />
  );
}

function KeyName({ apiKey }: { apiKey: KeyView }) {
  const limits = limitsText(apiKey.limits);
  return (
    <span className="block min-w-0">
      <span className="block font-medium wrap-anywhere">{apiKey.name}</span>
      {apiKey.models !== null && (
        <span className="block text-sm text-muted">Only {modelsText(apiKey.models)}</span>
      )}
      {limits !== null && <span className="block text-sm text-muted">At most {limits}</span>}
    </span>
  );
}

function Status({ apiKey }: { apiKey: KeyView }) {
  const until = apiKey.worksUntil ?? apiKey.expiresAt;
  return (
    <span className="flex flex-col items-start gap-1 @max-[30rem]:items-end">
      <KeyStatus status={apiKey.status} />
      {until !== null && !hasEnded(apiKey) && (
        <span className="text-sm text-muted">
          {apiKey.worksUntil === null ? "expires" : "ends"} <Time at={until} />
        </span>
      )}
    </span>
  );
}

interface KeyMenuProps {
  apiKey: KeyView;
  onSwitch: () => void;
  onRotate: () => void;
  onRevoke: () => void;
}

function KeyMenu({ apiKey, onSwitch, onRotate, onRevoke }: KeyMenuProps) {
  const disabled = apiKey.status === "disabled";
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${apiKey.name}`} className="-mr-2">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={disabled ? <CirclePlay /> : <CirclePause />} onSelect={onSwitch}>
        {disabled ? "Enable" : "Disable"}
      </MenuItem>
      {apiKey.status === "active" && (
        <MenuItem icon={<RefreshCw />} onSelect={onRotate}>
          Rotate…
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Ban />} tone="danger" onSelect={onRevoke}>
        Revoke…
      </MenuItem>
    </Menu>
  );
}
