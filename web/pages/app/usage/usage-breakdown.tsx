import type { UsageReport } from "../../../../src/protocol/dashboard-api.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount } from "../../../units.ts";

type ByModel = UsageReport["byModel"][number];
type ByKey = UsageReport["byKey"][number];

/** The same period, by model and by key. */
export function UsageBreakdown({ report }: { report: UsageReport | undefined }) {
  const none = <EmptyState title="No requests in this period" />;
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
      <Card title="By model" flush>
        <Table
          label="Usage by model"
          columns={modelColumns}
          rows={report?.byModel}
          rowId={(row) => row.model ?? "unknown"}
          empty={none}
        />
      </Card>
      <Card title="By key" flush>
        <Table
          label="Usage by key"
          columns={keyColumns}
          rows={report?.byKey}
          rowId={(row) => row.keyId}
          empty={none}
        />
      </Card>
    </div>
  );
}

const modelColumns: readonly Column<ByModel>[] = [
  {
    id: "model",
    header: "Model",
    // A rate-limited request is refused before its body, which names the model, is read.
    cell: (row) =>
      row.model === null ? (
        <span className="text-muted">Unknown (refused early)</span>
      ) : (
        <ModelName model={row.model} />
      ),
  },
  { id: "requests", header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { id: "refused", header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { id: "tokens", header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];

const keyColumns: readonly Column<ByKey>[] = [
  { id: "key", header: "Key", cell: (row) => <span className="wrap-anywhere">{row.name}</span> },
  { id: "requests", header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { id: "refused", header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { id: "tokens", header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];
