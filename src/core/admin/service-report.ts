/** Usage of the whole service: by time and model, top accounts and keys, causes of errors. */
import type { ServiceUsageReport, TopUser, TopUsers } from "../usage/usage-views.js";
import { isPlayground } from "../bounds.js";
import { errorTable } from "../errors.js";
import { modelIds, type ModelId } from "../models.js";
import { invalid } from "../dashboard-error.js";
import type { UsageCounts } from "../usage/ports.js";
import type { OutcomeRecorder } from "./outcome-recorder.js";
import type { ServiceStore } from "./ports.js";
import type { AccountStore } from "../accounts/ports.js";
import type { Account } from "../entities.js";
import type { Store } from "../store.js";
import { countCells, countHeadings, toCsv } from "../usage/csv.js";
import { noUsage, type UsageRecorder } from "../usage/usage-recorder.js";
import {
  add,
  dailySliceMs,
  dayMs,
  figures,
  keyLabel,
  longSliceMs,
  overTime,
  rangeOf,
  share,
  slicesOf,
  type UsageReports,
  type UsageRequest,
} from "../usage/usage-report.js";

const topLength = 10;
/** Of everybody's lines by the hour. */
const shortSliceMs = dayMs / 4;

const csvHeadings = ["start", "account", "key", "key_last_four", "key_id", "model", ...countHeadings];

export interface ServiceUsageRequest extends UsageRequest {
  /** An id or an email address; undefined for all. */
  account?: string | undefined;
}

export interface ServiceUsageParts {
  store: Pick<Store, "findKey" | "findAccountByEmail"> & {
    readonly accounts: Pick<AccountStore, "findAccount">;
    readonly service: ServiceStore;
  };
  usage: Pick<UsageRecorder, "flush">;
  outcomes: Pick<OutcomeRecorder, "flush">;
  reports: UsageReports;
}

export class ServiceUsageReports {
  constructor(private readonly parts: ServiceUsageParts) {}

  async report(request: ServiceUsageRequest): Promise<ServiceUsageReport> {
    const { account, key } = await this.#resolveScope(request);
    if (account === null) return this.#ofAll(request);
    const { buckets, totals, byModel } = await this.parts.reports.report(account.id, request);
    return { account: { id: account.id, email: account.email }, key, buckets, totals, byModel, causes: null };
  }

  /** With an account, only its keys are ranked. */
  async top(request: ServiceUsageRequest, measure: "requests" | "tokens"): Promise<TopUsers> {
    const { account } = await this.#resolveScope(request);
    const { from, to } = rangeOf(request);
    const { model } = request;
    await this.parts.usage.flush();
    const { usage } = this.parts.store.service;
    const filter = { from, to, model, accountId: account?.id };
    const { accounts, keys } = await usage.top(filter, measure, topLength);
    return { accounts: account === null ? accounts : [], keys: keys.map(withKeyLabel) };
  }

  /** The lines of a CSV file, read and written day by day: all of them may be more than memory should hold. */
  async *csv(request: ServiceUsageRequest): AsyncGenerator<string, void, undefined> {
    const { account } = await this.#resolveScope(request);
    const range = rangeOf(request);
    await this.parts.usage.flush();
    yield toCsv(csvHeadings, []);
    for await (const slice of slicesOf(range, request.step === "hour" ? shortSliceMs : dayMs)) {
      const filter = { ...slice, accountId: account?.id, keyId: request.key, model: request.model };
      const lines = await this.parts.store.service.usage.lines(filter, range.stepMs);
      const rows = lines.map(({ start, email, keyId, key, model, ...counts }) => {
        const { name, lastFour } = keyLabel(keyId, key);
        return [
          ...[start.toISOString(), email, name, lastFour ?? "", keyId, model ?? ""],
          ...countCells(figures(counts)),
        ];
      });
      yield toCsv(null, rows);
    }
  }

  async #ofAll(request: ServiceUsageRequest): Promise<ServiceUsageReport> {
    const { store, usage, outcomes } = this.parts;
    const range = rangeOf(request);
    await Promise.all([usage.flush(), outcomes.flush()]);
    const byTime = new Map<number, UsageCounts>();
    const byModel = new Map<ModelId | null, UsageCounts>();
    for await (const slice of slicesOf(range, request.step === "hour" ? longSliceMs : dailySliceMs)) {
      const filter = { ...slice, model: request.model };
      const [times, models] = await Promise.all([
        store.service.usage.readByTime(filter, range.stepMs),
        store.service.usage.readByModel(filter),
      ]);
      for (const row of times) add(byTime, row.start.getTime(), row);
      for (const row of models) add(byModel, row.model, row);
    }
    const codes = await store.service.outcomes.readByCode({ ...range, model: request.model });
    return {
      account: null,
      key: null,
      ...overTime(byTime, range),
      byModel: [...modelIds, null]
        .filter((model) => byModel.has(model))
        .map((model) => ({ model, ...share(byModel.get(model) ?? noUsage) })),
      causes: codes
        .flatMap(({ code, requests }) =>
          code === "none" ? [] : [{ code, status: errorTable[code].status, requests }],
        )
        .sort((a, b) => b.requests - a.requests || (a.code < b.code ? -1 : 1)),
    };
  }

  /** A key implies its account; the playground's pseudo-key does not. */
  async #resolveScope({ account: wanted, key: keyId }: ServiceUsageRequest): Promise<{
    account: Account | null;
    key: ServiceUsageReport["key"];
  }> {
    const { store } = this.parts;
    const key = keyId === undefined || isPlayground(keyId) ? null : await store.findKey(keyId);
    if (keyId !== undefined && !isPlayground(keyId) && key === null) {
      throw invalid("key", "There is no such key.");
    }
    const account = await this.#find(wanted ?? key?.accountId);
    if (keyId !== undefined && isPlayground(keyId) && account === null) {
      throw invalid("account", "Choose the account whose playground it is.");
    }
    if (key !== null && key.accountId !== account?.id) {
      throw invalid("key", "This account has no such key.");
    }
    if (keyId === undefined) return { account, key: null };
    return { account, key: { id: keyId, ...keyLabel(keyId, key) } };
  }

  async #find(wanted: string | undefined): Promise<Account | null> {
    if (wanted === undefined || wanted === "") return null;
    const { store } = this.parts;
    const account = wanted.includes("@")
      ? await store.findAccountByEmail(wanted)
      : await store.accounts.findAccount(wanted);
    if (account === null) throw invalid("account", "There is no such account.");
    return account;
  }
}

const withKeyLabel = (user: TopUser): TopUser => ({ ...user, key: keyLabel(user.keyId ?? "", user.key) });
