/** One account, for admins: its owner, usage, keys, sessions and audit trail. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { AccountDetail } from "../../../src/protocol/dashboard/accounts.js";
import { MonthCard } from "../../components/figures/month-use.tsx";
import { Stat, StatRow } from "../../components/figures/stat.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { UnlessFailed } from "../../components/states/loaded.tsx";
import { BackLink } from "../../components/text/back-link.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { ArrowLink } from "../../components/text/arrow-link.tsx";
import { LastUsed } from "../../components/text/last-used.tsx";
import { Time } from "../../components/text/time.tsx";
import { adminQueries } from "../../service/admin.ts";
import { formatCount, formatPerMinute, plural } from "../../units.ts";
import { AccountKeys } from "./account/account-keys.tsx";
import { AccountSessions } from "./account/account-sessions.tsx";
import { AccountUsage } from "./account/account-usage.tsx";
import { AccountDialog, type AccountTask } from "./accounts/account-dialog.tsx";
import { AccountMenu, AccountStatus, noSignIn, SignInNote } from "./accounts/account-table.tsx";
import { AuditTable } from "./audit-table.tsx";

export default function AccountPage() {
  const { id } = useParams<{ id: string }>();
  const [, navigate] = useLocation();
  const [task, setTask] = useState<AccountTask | null>(null);
  const read = useQuery(adminQueries.account(id));
  const { data } = read;
  const month = useQuery(adminQueries.accountMonth(id));
  return (
    <>
      <BackLink href="/admin/accounts">Accounts</BackLink>
      <PageHeader
        title={data?.account.email ?? "Account"}
        heading={data && <Address email={data.account.email} />}
        description={data && <Facts detail={data} />}
        actions={
          data && (
            <>
              <SignInNote account={data.account} />
              <AccountStatus account={data.account} />
              <AccountMenu account={data.account} onTask={setTask} />
            </>
          )
        }
      />
      <UnlessFailed query={read} what="the account">
        <div className="flex flex-col gap-6">
          <Figures detail={data} />
          <MonthCard month={month} />
          {data !== undefined && (
            <>
              <AccountUsage id={id} />
              <AccountKeys id={id} />
              <AccountSessions account={data.account} sessions={data.sessions} />
              <AccountAudit id={id} />
            </>
          )}
        </div>
      </UnlessFailed>
      {task !== null && (
        <AccountDialog
          task={task}
          onClose={() => setTask(null)}
          onDeleted={() => navigate("/admin/accounts")}
        />
      )}
    </>
  );
}

function Facts({ detail: { account } }: { detail: AccountDetail }) {
  return (
    <>
      {account.role === "admin" ? "Admin" : "User"} since <Time at={account.createdAt} style="date" />,{" "}
      <code className="font-mono text-sm wrap-anywhere">{account.id}</code>
      {!account.canSignIn && <span className="mt-1 block">{noSignIn}</span>}
    </>
  );
}

function factorsText({ hasTotp, passkeys }: AccountDetail["factors"]): string {
  const names = [
    ...(hasTotp ? ["authenticator app"] : []),
    ...(passkeys === 0 ? [] : [plural(passkeys, "passkey")]),
  ];
  return names.length === 0 ? "No second factor" : `With ${names.join(" and ")}`;
}

function Figures({ detail }: { detail: AccountDetail | undefined }) {
  const plan = detail?.plan;
  return (
    <StatRow>
      <Stat
        label="Plan"
        value={plan && <span className="text-lg wrap-anywhere">{plan.name}</span>}
        hint={plan && formatPerMinute(plan)}
      />
      <Stat
        label="Working keys"
        value={detail && formatCount(detail.account.keys)}
        hint={plan && `of ${formatCount(plan.maxKeys)}`}
      />
      <Stat
        label="Sessions"
        value={detail && formatCount(detail.sessions.length)}
        hint={detail && factorsText(detail.factors)}
      />
      <Stat
        label="Last used"
        value={
          detail && (
            <span className="text-lg">
              <LastUsed day={detail.account.lastUsedDay} />
            </span>
          )
        }
      />
    </StatRow>
  );
}

/** Actions by the account, and actions on it and its keys. */
function AccountAudit({ id }: { id: string }) {
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
