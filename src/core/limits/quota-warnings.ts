/**
 * Mails to an account, or to whom it concerns in a team, and events for webhooks, when most of a quota is used, and when it
 * is used up: once for each quota, window and level, over all replicas and restarts. The counters say when to check; since
 * they include reservations, both report actual use. Whichever replica claims the warning in the database sends it, and
 * retries when the mail server refuses it. Without a mail server and without webhooks nothing is checked.
 */
import type { QuotaStore } from "./ports.js";
import { mostOfQuota } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { KeyRecord } from "../entities.js";
import type { EventSink } from "../events/events.js";
import type { Mail } from "../sign-in/mail.js";
import type { Outbox } from "../sign-in/outbox.js";
import type { MonthView } from "./month-use.js";
import type { QuotaMeter, QuotaUsed } from "./quota-book.js";

/** Between two checks of a quota of which more is reserved than used. */
const checkAgainMs = 10_000;
const mostRemembered = 10_000;

export interface QuotaWarningParts {
  store: Pick<QuotaStore, "claimWarning">;
  used: QuotaUsed;
  /** The addresses that the mail goes to. */
  recipients: (caller: KeyRecord, meter: QuotaMeter) => Promise<string[]>;
  /** Of the account's quotas. */
  month: (caller: KeyRecord) => Promise<MonthView>;
  outbox: Pick<Outbox, "canMail" | "post">;
  events: EventSink;
  reportError: (error: unknown) => void;
  clock: Clock;
  ownerName: () => string;
  publicUrl: () => string;
}

export class QuotaWarnings {
  /** By quota, window and level: when to check again, on the monotonic clock. */
  readonly #quietUntilMs = new Map<string, number>();

  constructor(private readonly parts: QuotaWarningParts) {}

  /** Returns immediately. */
  note(caller: KeyRecord, meter: QuotaMeter, count: number, isRefused: boolean): void {
    const { outbox, events, clock, reportError } = this.parts;
    if (!isRefused && count < mostOfQuota * meter.limit) return;
    if (!outbox.canMail && !events.isListening) return;
    const name = `${meter.name}:${levelOf(meter, count, isRefused)}`;
    const nowMs = clock.monotonicMs();
    if ((this.#quietUntilMs.get(name) ?? 0) > nowMs) return;
    if (this.#quietUntilMs.size >= mostRemembered) this.#quietUntilMs.clear();
    this.#quietUntilMs.set(name, nowMs + checkAgainMs);
    outbox.post(() => this.#write(caller, meter, isRefused), { isRetried: true });
    if (events.isListening) this.#publish(meter, isRefused).catch(reportError);
  }

  async #publish(meter: QuotaMeter, isRefused: boolean): Promise<void> {
    const { store, events, clock } = this.parts;
    const reached = await this.#reached(meter, isRefused);
    if (reached === null) return;
    const { accountId, keyId, memberId, kind, window, limit } = meter;
    if (!(await store.claimWarning(accountId, `${reached.name}:event`, clock.now()))) return;
    events.publish({
      type: "quota.reached",
      data: {
        ...{ account_id: accountId, key_id: keyId, member_id: memberId },
        ...{ unit: kind, period: window.period, window: window.label },
        ...{ percent: reached.level, used: reached.count, limit },
      },
    });
  }

  /** What was really used; null when that is not much. */
  async #reached(
    meter: QuotaMeter,
    isRefused: boolean,
  ): Promise<{ name: string; level: 80 | 100; count: number } | null> {
    const { window, kind, limit } = meter;
    const count = (await this.parts.used(meter, window.label))[kind];
    if (count < mostOfQuota * limit) return null;
    const level = levelOf(meter, count, isRefused);
    const name = `${meter.name}:${level}`;
    this.#quietUntilMs.set(name, Infinity);
    return { name, level, count };
  }

  /** Null when there is nothing to say, or another has said it. */
  async #write(caller: KeyRecord, meter: QuotaMeter, isRefused: boolean): Promise<Mail | null> {
    const { store, recipients, outbox, clock, ownerName, publicUrl } = this.parts;
    const reached = await this.#reached(meter, isRefused);
    if (reached === null) return null;
    const { name, level, count } = reached;
    const usedUpAt = await this.#usedUpAt(caller, meter);
    const { accountId } = meter;
    if (!(await store.claimWarning(accountId, name, clock.now()))) return null;
    const space = caller.account.kind === "team" ? `/app/teams/${accountId}` : "/app";
    const facts = {
      level,
      count,
      owner: ownerName(),
      url: `${publicUrl()}${space}/limits`,
      usedUpAt,
    } as const;
    const [first, ...others] = await recipients(caller, meter);
    for (const to of others)
      outbox.post(async () => quotaMail(to, caller, meter, facts), { isRetried: true });
    return first === undefined ? null : quotaMail(first, caller, meter, facts);
  }

  /** Null where it is not expected in this window. */
  async #usedUpAt(caller: KeyRecord, { keyId, memberId, window, kind }: QuotaMeter): Promise<string | null> {
    if (keyId !== null || memberId !== null || window.period !== "month") return null;
    return (await this.parts.month(caller))[kind].usedUpAt;
  }
}

const levelOf = ({ limit }: QuotaMeter, count: number, isRefused: boolean): 80 | 100 =>
  isRefused || count >= limit ? 100 : 80;

interface QuotaMailFacts {
  level: 80 | 100;
  count: number;
  owner: string;
  url: string;
  usedUpAt: string | null;
}

function quotaMail(
  to: string,
  { account, key }: KeyRecord,
  { unit, limit, scopeLabel, keyId, memberId, window, kind }: QuotaMeter,
  { level, count, owner, url, usedUpAt }: QuotaMailFacts,
): Mail {
  const ofAccount =
    account.kind === "team" && memberId === null ? `The team '${account.email}'` : "Your account";
  const who =
    keyId === null
      ? ofAccount
      : `${account.kind === "team" ? "The" : "Your"} key that ends in ${key.lastFour}`;
  const resets = `${window.endsAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const number = (value: number): string => value.toLocaleString("en");
  const rate =
    usedUpAt === null ? "" : `At the rate of the last seven days it is used up on ${usedUpAt.slice(0, 10)}. `;
  const next =
    level === 80
      ? `${rate}Once it is used up, requests are refused until it resets at ${resets}.`
      : `Requests that need more than is left are refused until it resets at ${resets}.`;
  return {
    kind: "quota",
    to,
    subject:
      level === 80
        ? `${owner}: 80% of a quota of ${kind} is used`
        : `${owner}: a quota of ${kind} is used up`,
    text: `${who} has used ${number(count)} of ${number(limit)} ${unit}, the limit on ${scopeLabel}.

${next}

What is left: ${url}
`,
  };
}
