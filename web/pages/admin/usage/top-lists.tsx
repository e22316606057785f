/** Who uses the service most. A row leads to the usage of its account or key. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { TopUser } from "../../../../src/core/usage/usage-views.js";
import { Segmented } from "../../../components/controls/segmented.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { KeyLabel } from "../../../components/text/key-label.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { adminQueries, type ServiceUsageQuery } from "../../../service/admin.ts";
import { formatCount } from "../../../units.ts";
import { usageAddress, type Choose, type ServiceChoice } from "./use-usage-choice.ts";

interface TopListsProps {
  query: ServiceUsageQuery;
  choice: ServiceChoice;
  choose: Choose;
}

const measures = [
  { id: "requests", label: "By requests" },
  { id: "tokens", label: "By tokens" },
] as const;

export function TopLists({ query: { key: _key, ...query }, choice, choose }: TopListsProps) {
  const top = useQuery(adminQueries.top({ ...query, measure: choice.measure }));
  if (choice.key !== "") return null;
  const none = <EmptyState title="No requests in this period" />;
  return (
    <section aria-labelledby="top-lists">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="top-lists" className="text-base font-semibold">
          Top {choice.account === "" ? "accounts and keys" : "keys"}
        </h2>
        <Segmented
          label="Rank by"
          options={measures}
          value={choice.measure}
          onChange={(measure) => choose({ measure })}
        />
      </div>
      <div className="flex flex-col gap-6">
        {choice.account === "" && (
          <Card title="Accounts" flush>
            <Table
              label="Top accounts"
              columns={[
                {
                  header: "Account",
                  cell: (row) => (
                    <Link href={usageAddress({ ...choice, account: row.accountId })} className={linkLook}>
                      <Address email={row.email} />
                    </Link>
                  ),
                },
                ...counts,
              ]}
              rows={top.data?.accounts}
              rowId={(row) => row.accountId}
              query={top}
              empty={none}
            />
          </Card>
        )}
        <Card title="Keys" flush>
          <Table
            label="Top keys"
            columns={[
              {
                header: "Key",
                cell: (row) => (
                  <>
                    <Link
                      href={usageAddress({ ...choice, account: row.accountId, key: row.keyId ?? "" })}
                      className={linkLook}
                      title={row.keyId ?? undefined}
                    >
                      {row.key && <KeyLabel {...row.key} />}
                    </Link>
                    <span className="block text-sm text-muted">
                      <Address email={row.email} />
                    </span>
                  </>
                ),
              },
              ...counts,
            ]}
            rows={top.data?.keys}
            rowId={(row) => `${row.accountId} ${row.keyId ?? ""}`}
            query={top}
            empty={none}
          />
        </Card>
      </div>
    </section>
  );
}

const linkLook = "rounded-sm font-medium text-accent hover:underline";

const counts: readonly Column<TopUser>[] = [
  { header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { header: "Errors", align: "right", cell: (row) => formatCount(row.errors) },
  { header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];
