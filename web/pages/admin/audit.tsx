import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Download, X } from "lucide-react";
import { useEffect, useState } from "react";
import { auditActions } from "../../../src/core/audit-actions.js";
import type { AuditFilters } from "../../../src/protocol/dashboard/audit.js";
import { ButtonAnchor, Button } from "../../components/controls/button.tsx";
import { Field, Input, Select, verbatim } from "../../components/controls/field.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { zoneName } from "../../components/text/moments.ts";
import { fieldError } from "../../form-errors.ts";
import { useDebounced } from "../../hooks/use-debounced.ts";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { AuditTable } from "./audit-table.tsx";

export default function Audit() {
  const [typed, change] = useUrlFilters(noFilters);
  const filters = toQuery(typed);
  const { error } = useInfiniteQuery(adminQueries.audit(filters));
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Who changed what: accounts, keys, plans, models, announcements. Never prompts or replies."
        actions={
          <ButtonAnchor href={adminApi.auditCsvAddress(filters)} download icon={<Download />}>
            Download CSV
          </ButtonAnchor>
        }
      />
      <AuditFilterBar value={typed} onChange={change} error={error} />
      <Card flush>
        <AuditTable filters={filters} />
      </Card>
    </>
  );
}

/** As in the address: days, and empty for all. */
type TypedFilters = Record<"who" | "what" | "from" | "to" | "account", string>;
const noFilters: TypedFilters = { who: "", what: "", from: "", to: "", account: "" };

interface AuditFilterBarProps {
  value: TypedFilters;
  onChange: (change: Partial<TypedFilters>) => void;
  /** The service's error about them. */
  error: Error | null;
}

function AuditFilterBar({ value, onChange, error }: AuditFilterBarProps) {
  const [who, setWho] = useState(value.who);
  const settled = useDebounced(who.trim(), 400);
  useEffect(() => {
    if (settled !== value.who) onChange({ who: settled });
  }, [settled]);
  const isNarrowed = Object.values(value).some((text) => text !== "");
  return (
    <div className="mb-5 flex flex-col gap-3">
      <div className="grid gap-3 min-[24rem]:grid-cols-2 xl:grid-cols-4">
        <Field
          label="Actor"
          error={fieldError(error, "who")}
          className="min-[24rem]:col-span-2 sm:col-span-1"
        >
          <Input type="search" placeholder="Email address" {...verbatim} value={who} onValue={setWho} />
        </Field>
        <Field
          label="Action"
          error={fieldError(error, "what")}
          className="min-[24rem]:col-span-2 sm:col-span-1"
        >
          <Select
            value={value.what}
            onValue={(value) => onChange({ what: value })}
            options={[
              { value: "", label: "All actions" },
              ...auditActions.map((action) => ({ value: action, label: action })),
            ]}
          />
        </Field>
        <Field label="From" aside={zoneName()} error={fieldError(error, "from")}>
          <Input type="date" value={value.from} onValue={(value) => onChange({ from: value })} />
        </Field>
        <Field label="To" aside={zoneName()} error={fieldError(error, "to")}>
          <Input type="date" value={value.to} onValue={(value) => onChange({ to: value })} />
        </Field>
      </div>
      {isNarrowed && (
        <div className="flex flex-wrap items-center gap-3">
          {value.account !== "" && <AccountFilter id={value.account} />}
          <Button
            size="sm"
            variant="quiet"
            className="first:-ml-2.5"
            icon={<X />}
            onClick={() => {
              setWho("");
              onChange(noFilters);
            }}
          >
            Clear filters
          </Button>
        </div>
      )}
    </div>
  );
}

function AccountFilter({ id }: { id: string }) {
  const { data } = useQuery(adminQueries.account(id));
  return <Badge tone="accent">About {data?.account.email ?? id}</Badge>;
}

/** Days are the reader's own, the last one included. */
function toQuery({ who, what, from, to, account }: TypedFilters): AuditFilters {
  const action = auditActions.find((known) => known === what);
  const [begins, ends] = [startOf(from, 0), startOf(to, 1)];
  return {
    ...(who === "" ? {} : { who }),
    ...(action === undefined ? {} : { what: action }),
    ...(begins === undefined ? {} : { from: begins }),
    ...(ends === undefined ? {} : { to: ends }),
    ...(account === "" ? {} : { account }),
  };
}

/** The start of a day, or of the day that many days later; undefined for an invalid day. */
function startOf(day: string, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}
