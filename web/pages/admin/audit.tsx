import { useInfiniteQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { ButtonAnchor } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { AuditFilterBar, noFilters, toQuery } from "./audit/audit-filters.tsx";
import { AuditTable } from "./audit/audit-table.tsx";

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
