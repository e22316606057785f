import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Link } from "wouter";
import { api } from "../../../service/api.ts";
import { ButtonAnchor } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { queries } from "../../../service/queries.ts";
import { StoredTable } from "./stored-table.tsx";

/** The raw rows, table by table. Nothing is aggregated, and only secrets are omitted. */
export function StoredAboutYou() {
  const { data, error, refetch } = useQuery(queries.stored);
  return (
    <Card
      flush
      title="What the database stores about you"
      description={
        <>
          The rows that belong to your account, unchanged, newest first. Passwords and keys are stored as
          hashes, which are omitted. There is no table for prompts or replies. Request logs are separate: see{" "}
          <Link href="/docs/privacy#logs" className="text-accent underline underline-offset-3">
            Privacy
          </Link>
          .
        </>
      }
      actions={
        <ButtonAnchor href={api.exportAddress} download icon={<Download />}>
          Export as JSON
        </ButtonAnchor>
      }
    >
      {data === undefined ? (
        error === null ? (
          <div className="px-5 py-5 sm:px-6">
            <SkeletonLines lines={5} />
          </div>
        ) : (
          <ErrorState error={error} onRetry={refetch} what="your data" />
        )
      ) : (
        <ul className="divide-y divide-line">
          {data.tables.map((table) => (
            <li key={table.name}>
              <StoredTable {...table} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
