import { Link, useLocation, useSearch } from "wouter";
import type { UsageReport } from "../../../../src/core/usage/usage-views.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { useFirstRows } from "../../../components/text/first-rows.tsx";
import { KeyLabel } from "../../../components/text/key-label.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount, plural } from "../../../units.ts";

type ByKey = UsageReport["byKey"][number];

interface UsageBreakdownProps {
  report: UsageReport | undefined;
  /** If the page can filter by key, names are links; otherwise plain text. */
  linksToKeys?: boolean;
}

/** The same period, by model and by key. */
export function UsageBreakdown({ report, linksToKeys = false }: UsageBreakdownProps) {
  const [path] = useLocation();
  const search = useSearch();
  const byKey = useFirstRows(report?.byKey, `Show all ${plural(report?.byKey.length ?? 0, "key")}`);
  const addressOf = (keyId: string) => {
    const parameters = new URLSearchParams(search);
    parameters.set("key", keyId);
    return `${path}?${parameters.toString()}`;
  };
  return (
    <div className="flex flex-col gap-6">
      <ByModel rows={report?.byModel} />
      <Card title="By key" flush>
        <Table
          label="Usage by key"
          columns={[
            { header: "Key", cell: (row) => keyName(row, linksToKeys ? addressOf : undefined) },
            ...counts,
          ]}
          rows={byKey.shown}
          rowId={(row) => row.keyId}
          empty={none}
        />
        {byKey.more}
      </Card>
    </div>
  );
}

export function ByModel({ rows }: { rows: readonly ModelRow[] | undefined }) {
  return (
    <Card title="By model" flush>
      <Table
        label="Usage by model"
        columns={modelColumns}
        rows={rows}
        rowId={(row) => row.model ?? "unknown"}
        empty={none}
      />
    </Card>
  );
}

const none = <EmptyState title="No requests in this period" />;

/** Its id too: two keys may share a name and even the last four characters. */
function keyName({ keyId, name, lastFour }: ByKey, address?: (keyId: string) => string) {
  const text = <KeyLabel name={name} lastFour={lastFour} />;
  if (address === undefined) return <span title={keyId}>{text}</span>;
  return (
    <Link href={address(keyId)} title={keyId} className="rounded-sm text-accent hover:underline">
      {text}
    </Link>
  );
}

type Counts = Pick<ByKey, "requests" | "refused" | "tokens">;
type ModelRow = Pick<UsageReport["byModel"][number], "model" | keyof Counts>;

export const counts: readonly Column<Counts>[] = [
  { header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];

const modelColumns: readonly Column<ModelRow>[] = [
  {
    header: "Model",
    // A rate-limited request is refused before its body, which names the model, is read.
    cell: (row) =>
      row.model === null ? (
        <span className="text-muted">Refused before parsing</span>
      ) : (
        <ModelName model={row.model} />
      ),
  },
  ...counts,
];
