/**
 * The abuse inbox: accounts with far more requests, tokens, refusals or errors than usual, each with what to do about
 * it. One click does it; the line then says what was done, and undoes it.
 */
import { useMutation, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { AbuseAlert, AbuseSignal } from "../../../../src/core/admin/service-views.js";
import type { AbuseAlertList } from "../../../../src/protocol/dashboard/admin.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { TimeRange } from "../../../components/text/time.tsx";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { api } from "../../../service/api.ts";
import { formatCount, plural } from "../../../units.ts";

/** What can be done about an alert, and its reverse. */
interface Step {
  label: string;
  /** For screen readers, with the account. */
  name: string;
  done: string;
  run: () => Promise<unknown>;
  undo: () => Promise<unknown>;
}

interface Handled {
  alert: AbuseAlert;
  step: Step;
}

export function UnusualAccounts({ list }: { list: UseQueryResult<AbuseAlertList> }) {
  const client = useQueryClient();
  const [handled, setHandled] = useState<readonly Handled[]>([]);
  const [touched, setTouched] = useState<{ id: string } | null>(null);
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: adminQueries.alerts.queryKey }),
      client.invalidateQueries({ queryKey: ["admin", "account"] }),
    ]);
  const change = useMutation({
    mutationFn: ({ step, isUndo }: Handled & { isUndo: boolean }) => (isUndo ? step.undo() : step.run()),
    onSuccess: async (_done, { alert, step, isUndo }) => {
      const { id } = alert.account;
      if (isUndo) await refresh();
      setHandled((before) => [
        ...before.filter((one) => one.alert.account.id !== id),
        ...(isUndo ? [] : [{ alert, step }]),
      ]);
      setTouched({ id });
      if (!isUndo) void refresh();
    },
    onError: (error) => toast(error.message, "bad"),
  });
  // The pressed button is gone: the focus goes to what took its place.
  useEffect(() => {
    if (touched !== null) document.getElementById(lineOf(touched.id))?.focus();
  }, [touched]);

  const { data, error, refetch } = list;
  if (data === undefined && error !== null) {
    return (
      <Card title="Unusual accounts">
        <ErrorState error={error} onRetry={refetch} what="unusual accounts" />
      </Card>
    );
  }
  const isHandled = ({ account }: AbuseAlert) => handled.some(({ alert }) => alert.account.id === account.id);
  const open = data?.alerts.filter((alert) => !isHandled(alert)) ?? [];
  if (open.length + handled.length === 0) return null;
  const isBusy = (id: string, step: Step) =>
    change.isPending &&
    change.variables.alert.account.id === id &&
    change.variables.step.label === step.label;
  return (
    <Card
      title="Unusual accounts"
      description="Far more in an hour than these accounts usually have. Counts only; the cause may be harmless."
      flush
    >
      <ul className="divide-y divide-line">
        {open.map((alert) => (
          <li
            key={alert.account.id}
            id={lineOf(alert.account.id)}
            tabIndex={-1}
            className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-5 py-4 sm:px-6"
          >
            <Facts alert={alert} />
            <div className="flex flex-wrap gap-2">
              {stepsOf(alert).map((step) => (
                <Button
                  key={step.label}
                  size="sm"
                  aria-label={step.name}
                  pending={isBusy(alert.account.id, step)}
                  onClick={() => change.mutate({ alert, step, isUndo: false })}
                >
                  {step.label}
                </Button>
              ))}
            </div>
          </li>
        ))}
        {handled.map(({ alert, step }) => (
          <li
            key={alert.account.id}
            id={lineOf(alert.account.id)}
            tabIndex={-1}
            className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 py-3 sm:px-6"
          >
            <p className="min-w-0 text-muted" role="status">
              <Address email={alert.account.email} className="font-medium text-ink" />: {step.done}
            </p>
            <Button
              size="sm"
              aria-label={`Undo: ${step.name}`}
              pending={isBusy(alert.account.id, step)}
              onClick={() => change.mutate({ alert, step, isUndo: true })}
            >
              Undo
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Facts({ alert }: { alert: AbuseAlert }) {
  const { account, plan, hour, signals, key } = alert;
  const to = new Date(Date.parse(hour) + 60 * 60_000).toISOString();
  return (
    <div className="min-w-0 flex-1 basis-72">
      <p>
        <Link href={`/admin/accounts/${account.id}`} className="font-medium hover:underline">
          <Address email={account.email} />
        </Link>
      </p>
      <ul className="mt-0.5">
        {signals.map((signal) => (
          <li key={signal.kind}>{signalText(signal)}</li>
        ))}
      </ul>
      <p className="mt-0.5 text-sm wrap-anywhere text-muted">
        <TimeRange from={hour} to={to} />, {plan.name} plan
        {key !== null && `, mostly with the key ${key.name} (…${key.lastFour})`}
      </p>
    </div>
  );
}

function signalText({ kind, count, usual }: AbuseSignal): string {
  const counted = {
    requests: plural(count, "request"),
    tokens: plural(count, "token"),
    refusals: plural(count, "rate-limited request"),
    errors: plural(count, "error"),
  }[kind];
  return `${counted}, usually ${usual === 0 ? "none" : `${formatCount(usual)} per hour`}`;
}

function stepsOf(alert: AbuseAlert): Step[] {
  const { account, plan, lowerPlan, key } = alert;
  const { id, email } = account;
  const steps: (Step | false)[] = [
    // Admins suspend one another on purpose, on the account's page.
    account.role !== "admin" && {
      label: "Suspend",
      name: `Suspend ${email}`,
      done: "suspended.",
      run: () => api.admin.setAccount(id, "suspend"),
      undo: () => api.admin.setAccount(id, "resume"),
    },
    lowerPlan !== null && {
      label: `Move to ${lowerPlan.name}`,
      name: `Move ${email} to the ${lowerPlan.name} plan`,
      done: `moved to the ${lowerPlan.name} plan.`,
      run: () => api.admin.setPlan(id, { planId: lowerPlan.id }),
      undo: () => api.admin.setPlan(id, { planId: plan.id }),
    },
    key !== null && {
      label: `Revoke key …${key.lastFour}`,
      name: `Revoke the key ${key.name} (…${key.lastFour}) of ${email}`,
      done: `key ${key.name} (…${key.lastFour}) revoked. This can be undone for an hour.`,
      run: () => adminApi.setKey(key.id, "revoke"),
      undo: () => adminApi.setKey(key.id, "restore"),
    },
    {
      label: "Dismiss",
      name: `Dismiss the alert about ${email}`,
      done: "dismissed for a day.",
      run: () => adminApi.dismissAlert(id),
      undo: () => adminApi.restoreAlert(id),
    },
  ];
  return steps.filter((step) => step !== false);
}

const lineOf = (accountId: string): string => `alert-${accountId}`;
