import type { ServiceUsageReport } from "../../../../src/core/usage/usage-views.js";
import { errorTable } from "../../../../src/core/errors.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount } from "../../../units.ts";
import { InlineCode } from "../../docs/inline-code.tsx";

type Cause = NonNullable<ServiceUsageReport["causes"]>[number];

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

const causeColumns: readonly Column<Cause>[] = [
  {
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
  { header: "Status", align: "right", cell: (row) => row.status },
  { header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
];
