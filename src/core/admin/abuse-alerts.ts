/**
 * Accounts that an admin should look at: those that had far more requests, tokens, refusals or errors in an hour than
 * they usually have. Computed from the hourly usage counts on request; only dismissals are stored, as lines of the
 * audit trail. The current hour and the previous one are checked, so an alert appears while it happens and stays for at
 * least an hour.
 *
 * The usual rate is the average over the hours of use in the seven days that ended a day ago, so today's spike does not
 * raise its own baseline. 503s do not count: they are the service's fault.
 */
import type { Actor, Audit } from "../audit.js";
import { isPlayground } from "../bounds.js";
import type { Clock } from "../clock.js";
import { existing } from "../dashboard-error.js";
import type { ApiKey, Plan } from "../entities.js";
import type { AccountStore, AccountSummary } from "../accounts/ports.js";
import { keyStatus } from "../keys/key-status.js";
import type { Store } from "../store.js";
import type { UsageCounts, UsageStore } from "../usage/ports.js";
import { hourMs, type UsageRecorder } from "../usage/usage-recorder.js";
import type { HourOfAccount, ServiceStore } from "./ports.js";
import { type AbuseAlert, type AbuseSignal, abuseKinds, type AbuseCounts } from "./service-views.js";

const dayMs = 24 * hourMs;

/** An hour with fewer is never an alert. */
const leastInAnHour: AbuseCounts = { requests: 300, tokens: 1_000_000, refusals: 100, errors: 50 };
/** Nor is one with less than so many times the usual. */
const timesUsual = 5;
const usualDays = 7;
const mostAlerts = 10;
/** Hours with at least as many, of all accounts, the busiest first. */
const mostHours = 50;
const dismissedMs = dayMs;

export interface AbuseAlertParts {
  store: Pick<Store, "findKey" | "listPlans"> & {
    readonly accounts: Pick<AccountStore, "findAccount" | "findSummaries">;
    readonly usage: Pick<UsageStore, "readByTime" | "readByKey">;
    readonly service: { readonly usage: Pick<ServiceStore["usage"], "busyHours"> };
  };
  usage: Pick<UsageRecorder, "flush">;
  audit: Audit;
  clock: Clock;
}

interface Found {
  hour: HourOfAccount;
  signals: AbuseSignal[];
}

export class AbuseAlerts {
  constructor(private readonly parts: AbuseAlertParts) {}

  /** The furthest above its usual first. Without accounts that are suspended, and those that were dismissed. */
  async list(): Promise<AbuseAlert[]> {
    const { store, usage, clock } = this.parts;
    await usage.flush();
    const nowMs = clock.now().getTime();
    const from = new Date(nowMs - (nowMs % hourMs) - hourMs);
    const to = new Date(from.getTime() + 2 * hourMs);
    const hours = await store.service.usage.busyHours({ from, to }, leastInAnHour, mostHours);
    if (hours.length === 0) return [];
    const dismissed = await this.#dismissed();
    const open = hours.filter(({ accountId }) => !dismissed.has(accountId));
    // One after the other: the database has others to serve.
    const unusual: Found[] = [];
    for (const hour of open) unusual.push(...(await this.#compare(hour)));
    const found = newestOfEach(unusual);
    const accounts = await store.accounts.findSummaries([...found.keys()], clock.now());
    const plans = await store.listPlans();
    const alerts = accounts
      .filter(({ account }) => account.suspendedAt === null)
      .flatMap((summary) => {
        const one = found.get(summary.account.id);
        return one === undefined ? [] : [{ summary, ...one }];
      })
      .sort((a, b) => severityOf(b) - severityOf(a))
      .slice(0, mostAlerts);
    return Promise.all(
      alerts.map(async ({ summary, hour, signals }) => ({
        ...this.#view(summary, plans),
        hour: hour.start.toISOString(),
        signals,
        key: await this.#keyBehind(hour, signals),
      })),
    );
  }

  /** For a day. */
  dismiss(actor: Actor, accountId: string): Promise<void> {
    return this.#record(actor, "dismissed alert of account", accountId);
  }

  restore(actor: Actor, accountId: string): Promise<void> {
    return this.#record(actor, "restored alert of account", accountId);
  }

  async #record(
    actor: Actor,
    action: "dismissed alert of account" | "restored alert of account",
    accountId: string,
  ): Promise<void> {
    existing(await this.parts.store.accounts.findAccount(accountId), "There is no such account.");
    await this.parts.audit.record(actor, action, accountId);
  }

  async #dismissed(): Promise<Set<string>> {
    const { audit, clock } = this.parts;
    const from = new Date(clock.now().getTime() - dismissedMs);
    const [dismissed, restored] = await Promise.all([
      audit.page(null, { action: "dismissed alert of account", from }),
      audit.page(null, { action: "restored alert of account", from }),
    ]);
    const latest = (account: string, lines: typeof dismissed.lines) =>
      lines.find(({ target }) => target === account)?.at.getTime() ?? 0;
    return new Set(
      dismissed.lines
        .filter(({ target, at }) => at.getTime() > latest(target, restored.lines))
        .map(({ target }) => target),
    );
  }

  /** None when it is usual. */
  async #compare(hour: HourOfAccount): Promise<Found[]> {
    const to = new Date(hour.start.getTime() - dayMs);
    const from = new Date(to.getTime() - usualDays * dayMs);
    const { accountId } = hour;
    const past = await this.parts.store.usage.readByTime({ accountId, from, to }, hourMs);
    const sums = past.map(countsOf);
    const signals = abuseKinds.flatMap((kind): AbuseSignal[] => {
      const sum = sums.reduce((all, one) => all + one[kind], 0);
      const usual = sums.length === 0 ? 0 : Math.round(sum / sums.length);
      const count = hour[kind];
      return count >= leastInAnHour[kind] && count > timesUsual * usual ? [{ kind, count, usual }] : [];
    });
    return signals.length === 0 ? [] : [{ hour, signals }];
  }

  #view(
    { account }: AccountSummary,
    plans: readonly Plan[],
  ): Pick<AbuseAlert, "account" | "plan" | "lowerPlan"> {
    const { id, email, role, planId } = account;
    const plan = plans.find((one) => one.id === planId);
    const lower = plan === undefined ? undefined : nextLower(plan, plans);
    return {
      account: { id, email, role },
      plan: { id: planId, name: plan?.name ?? planId },
      lowerPlan: lower === undefined ? null : { id: lower.id, name: lower.name },
    };
  }

  /** The key with most of it, while it works; null also for the playground. */
  async #keyBehind(
    { accountId, start }: HourOfAccount,
    signals: readonly AbuseSignal[],
  ): Promise<AbuseAlert["key"]> {
    const { store, clock } = this.parts;
    const to = new Date(start.getTime() + hourMs);
    const shares = await store.usage.readByKey({ accountId, from: start, to });
    const [first] = signals;
    const measure = first?.kind === "tokens" ? "tokens" : first?.kind === "refusals" ? "refused" : "requests";
    const [most] = shares.sort((a, b) => b[measure] - a[measure]);
    if (most === undefined || isPlayground(most.keyId)) return null;
    const key: ApiKey | null = await store.findKey(most.keyId);
    if (key === null || keyStatus(key, clock.now()) !== "active") return null;
    return { id: key.id, name: key.name, lastFour: key.lastFour };
  }
}

const countsOf = (counts: UsageCounts): AbuseCounts => ({
  requests: counts.requests,
  tokens: counts.promptTokens + counts.completionTokens,
  refusals: counts.rateLimited,
  errors: counts.errors,
});

function newestOfEach(found: readonly Found[]): Map<string, Found> {
  const byTime = [...found].sort((a, b) => a.hour.start.getTime() - b.hour.start.getTime());
  return new Map(byTime.map((one) => [one.hour.accountId, one]));
}

/** How many times its least or its usual it is. */
const severityOf = ({ signals }: Pick<Found, "signals">): number =>
  Math.max(...signals.map(({ kind, count, usual }) => count / Math.max(leastInAnHour[kind], usual)));

/** The highest of those that allow less by the minute, and more of nothing. */
function nextLower(plan: Plan, plans: readonly Plan[]): Plan | undefined {
  return plans
    .filter(
      (one) =>
        one.requestsPerMinute <= plan.requestsPerMinute &&
        one.tokensPerMinute <= plan.tokensPerMinute &&
        one.requestsPerMinute + one.tokensPerMinute < plan.requestsPerMinute + plan.tokensPerMinute,
    )
    .sort((a, b) => b.tokensPerMinute - a.tokensPerMinute || b.requestsPerMinute - a.requestsPerMinute)[0];
}
