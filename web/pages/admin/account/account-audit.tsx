import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { AuditTable } from "../audit/audit-table.tsx";

/** Actions by the account, and actions on it and its keys. */
export function AccountAudit({ id }: { id: string }) {
  return (
    <Card
      title="Audit trail"
      actions={
        <ArrowLink href={`/admin/audit?account=${encodeURIComponent(id)}`}>Filter and export</ArrowLink>
      }
      flush
    >
      <AuditTable filters={{ account: id }} atFirst={10} />
    </Card>
  );
}
