/** Webhooks and their deliveries, in SQL. */
import { sql } from "kysely";
import { type EventType, eventTypes } from "../../core/events/events.js";
import {
  type AttemptResult,
  type Delivery,
  deliveryErrors,
  type NewDelivery,
  type OffReason,
  offReasons,
  type Webhook,
  type WebhookChange,
  type WebhookStore,
} from "../../core/events/ports.js";
import { fromRow, toList, toRow, toTime } from "./rows.js";
import type { Db, WebhookDeliveryRow, WebhookRow } from "./schema.js";
import {
  chunks,
  countRows,
  createdBefore,
  deleteInBatches,
  deleteRow,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  updateRow,
} from "./statements.js";

/** Rows that one statement adds. */
const addedAtOnce = 500;

export class SqlWebhooks implements WebhookStore {
  constructor(
    private readonly db: Db,
    private readonly locksRows: boolean,
  ) {}

  async list(): Promise<Webhook[]> {
    return (await findRows(this.db, "webhooks", {}, ["created_at", "id"])).map(toWebhook);
  }

  async find(id: string): Promise<Webhook | null> {
    return ifFound(await findRow(this.db, "webhooks", { id }), toWebhook);
  }

  /** Of two that are created at the same instant both may be written: one more than `most` does no harm. */
  async create(webhook: Webhook, most: number): Promise<boolean> {
    const { id, url, description, createdAt } = webhook;
    if ((await countRows(this.db, "webhooks")) >= most) return false;
    await this.db
      .insertInto("webhooks")
      .values({
        ...{ id, url, description, events: webhook.events?.join(",") ?? null },
        ...{ created_at: createdAt.getTime(), off_at: null, off_reason: null, failing_since: null },
      })
      .execute();
    return true;
  }

  async change(id: string, { url, description, events, off }: WebhookChange): Promise<Webhook | null> {
    const set = {
      ...{ url, description, events: events?.join(",") ?? null },
      ...(off === null
        ? { off_at: null, off_reason: null, failing_since: null }
        : { off_at: off.at.getTime(), off_reason: off.reason }),
    };
    return ifFound(await updateRow(this.db, "webhooks", { id }, set), toWebhook);
  }

  async delete(id: string): Promise<boolean> {
    return (await deleteRow(this.db, "webhooks", { id })) !== undefined;
  }

  async noteFailing(id: string, at: Date | null): Promise<Date | null> {
    const since = at === null ? null : sql`coalesce(failing_since, ${at.getTime()})`;
    const row = await updateRow(this.db, "webhooks", { id }, { failing_since: since });
    return toTime(row?.failing_since ?? null);
  }

  async switchOff(id: string, at: Date, reason: OffReason): Promise<boolean> {
    const off = { off_at: at.getTime(), off_reason: reason };
    return (await updateRow(this.db, "webhooks", { id, off_at: null }, off)) !== undefined;
  }

  async add(deliveries: readonly NewDelivery[], most: number): Promise<number> {
    const full = await this.#fullWebhooks(most);
    const fitting = deliveries.filter(({ webhookId }) => !full.has(webhookId));
    for (const some of chunks(fitting, addedAtOnce)) {
      await this.db
        .insertInto("webhook_deliveries")
        .values(some.map(fromNewDelivery))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    }
    return deliveries.length - fitting.length;
  }

  async #fullWebhooks(most: number): Promise<ReadonlySet<string>> {
    const rows = await this.db
      .selectFrom("webhook_deliveries")
      .select("webhook_id")
      .groupBy("webhook_id")
      .having(({ fn }) => fn.countAll<number>(), ">=", most)
      .execute();
    return new Set(rows.map((row) => row.webhook_id));
  }

  async claim(options: Parameters<WebhookStore["claim"]>[0]): Promise<Delivery[]> {
    const { limit, except } = options;
    const nowMs = options.now.getTime();
    const due = (db: Db) =>
      db
        .selectFrom("webhook_deliveries")
        .select("id")
        .where("next_at", "<=", nowMs)
        .where("webhook_id", "in", db.selectFrom("webhooks").select("id").where("off_at", "is", null))
        .$if(except.length > 0, (query) => query.where("webhook_id", "not in", except))
        .orderBy("next_at")
        .limit(limit);
    // Usually nothing is due, and finding that out should block no writer.
    if ((await due(this.db).execute()).length === 0) return [];
    return inTransaction(this.db, async (transaction) => {
      const free = due(transaction);
      const found = await (this.locksRows ? free.forUpdate().skipLocked() : free).execute();
      if (found.length === 0) return [];
      const ids = found.map(({ id }) => id);
      const rows = await transaction
        .updateTable("webhook_deliveries")
        .set((set) => ({ attempts: set("attempts", "+", 1), next_at: options.leaseUntil.getTime() }))
        .where("id", "in", ids)
        .where("next_at", "<=", nowMs)
        .returningAll()
        .execute();
      return rows.map(toDelivery);
    });
  }

  /** The number of attempts names the claim. */
  async finish({ id, attempts }: Pick<Delivery, "id" | "attempts">, result: AttemptResult): Promise<void> {
    await updateRow(this.db, "webhook_deliveries", { id, attempts }, toRow(result));
  }

  async findDelivery(id: string): Promise<Delivery | null> {
    return ifFound(await findRow(this.db, "webhook_deliveries", { id }), toDelivery);
  }

  async listDeliveries(
    webhookId: string | null,
    last: Pick<Delivery, "id" | "createdAt"> | null,
    limit: number,
  ): Promise<Delivery[]> {
    const where = {
      ...(webhookId === null ? {} : { webhook_id: webhookId }),
      ...(last === null ? {} : { created_at: createdBefore(last) }),
    };
    const order = ["created_at desc", "id desc"] as const;
    return (await findRows(this.db, "webhook_deliveries", where, order, limit)).map(toDelivery);
  }

  async redeliver(id: string, now: Date, retryUntil: Date): Promise<void> {
    const set = { next_at: now.getTime(), retry_until: retryUntil.getTime(), delivered_at: null };
    await updateRow(this.db, "webhook_deliveries", { id }, set);
  }

  async prune(before: Date): Promise<void> {
    await deleteInBatches(this.db, "webhook_deliveries", { created_at: ["<", before] });
  }

  async keysExpiring(
    after: Date,
    until: Date,
    limit: number,
  ): Promise<{ id: string; accountId: string; expiresAt: Date }[]> {
    const rows = await this.db
      .selectFrom("keys")
      .select(["id", "account_id", "expires_at"])
      .where("expires_at", ">", after.getTime())
      .where("expires_at", "<=", until.getTime())
      .where("revoked_at", "is", null)
      .orderBy("expires_at")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      expiresAt: new Date(row.expires_at ?? 0),
    }));
  }
}

const fromNewDelivery = (delivery: NewDelivery): WebhookDeliveryRow => ({
  ...toRow(delivery),
  ...{ next_at: delivery.createdAt.getTime(), attempts: 0, delivered_at: null, last_at: null },
  ...{ response_status: null, error: null, duration_ms: null },
});

function toWebhook({ events, off_at: offAt, off_reason: offReason, ...row }: WebhookRow): Webhook {
  const wanted = toList(events);
  const reason = offReasons.find((known) => known === offReason) ?? "admin";
  return {
    ...fromRow<Omit<Webhook, "events" | "off">>(row),
    events: wanted && eventTypes.filter((type) => wanted.includes(type)),
    off: offAt === null ? null : { at: new Date(offAt), reason },
  };
}

const toDelivery = ({ type, error, ...row }: WebhookDeliveryRow): Delivery => ({
  ...fromRow<Omit<Delivery, "type" | "error">>(row),
  type: toType(type),
  error: deliveryErrors.find((known) => known === error) ?? null,
});

/** Others are of a newer version, and sent as they are: the type is in the body, too. */
const toType = (text: string): EventType => eventTypes.find((type) => type === text) ?? "webhook.test";
