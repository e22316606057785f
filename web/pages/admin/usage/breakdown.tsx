import type { ServiceUsageReport } from "../../../../src/core/usage/usage-views.js";
import { errorTable } from "../../../../src/core/errors.js";
import { Card } from "../../../components/frame/card.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount } from "../../../units.ts";
import { InlineCode } from "../../docs/inline-code.tsx";

type ModelRow = ServiceUsageReport["byModel"][number];
type Cause = NonNullable<ServiceUsageReport["causes"]>[number];

export function ByModel({ report }: { report: ServiceUsageReport | undefined }) {
  return (
    <Card title="By model" flush>
      <Table
        label="Usage by model"
        columns={modelColumns}
        rows={report?.byModel}
        rowId={(row) => row.model ?? "unknown"}
        empty={<EmptyState title="No requests in this period" />}
      />
    </Card>
  );
}

/** Why requests failed or were refused, by error code. */
export function Causes({ report }: { report: ServiceUsageReport | undefined }) {
  if (report !== undefined && report.causes === null) {
    return (
      <Card title="Errors and refusals by cause">
        <p className="text-sm text-muted">
          Causes are counted for the whole service, not for single accounts.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Errors and refusals by cause" description="Including requests without a valid key." flush>
      <Table
        label="Errors and refusals by cause"
        columns={causeColumns}
        rows={report?.causes ?? undefined}
        rowId={(row) => row.code}
        empty={<EmptyState title="None in this period" />}
      />
    </Card>
  );
}

const modelColumns: readonly Column<ModelRow>[] = [
  {
    id: "model",
    header: "Model",
    cell: (row) =>
      row.model === null ? (
        <span className="text-muted">Refused before parsing</span>
      ) : (
        <ModelName model={row.model} />
      ),
  },
  { id: "requests", header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { id: "refused", header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { id: "tokens", header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];

const causeColumns: readonly Column<Cause>[] = [
  {
    id: "cause",
    header: "Cause",
    cell: (row) => (
      <>
        <code className="font-mono text-sm wrap-anywhere">{row.code}</code>
        <span className="block text-sm text-muted">
          <InlineCode text={errorTable[row.code].when} />
        </span>
      </>
    ),
  },
  { id: "status", header: "Status", align: "right", cell: (row) => row.status },
  { id: "requests", header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
];
