/** Changelog entries and maintenance windows, in SQL. */
import type { Kysely } from "kysely";
import type { ChangelogItem, NewsStore } from "../../core/admin/ports.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { ChangelogRow, MaintenanceRow, Schema } from "./schema.js";

export class SqlNews implements NewsStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async listItems(limit: number): Promise<ChangelogItem[]> {
    const rows = await this.db
      .selectFrom("changelog")
      .selectAll()
      .orderBy("published_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toItem);
  }

  async findItem(id: string): Promise<ChangelogItem | null> {
    const row = await this.db.selectFrom("changelog").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toItem(row);
  }

  async createItem(item: ChangelogItem): Promise<void> {
    const { id, title, body } = item;
    await this.db
      .insertInto("changelog")
      .values({
        id,
        title,
        body,
        published_at: item.publishedAt.getTime(),
        updated_at: item.updatedAt.getTime(),
      })
      .execute();
  }

  async updateItem(
    id: string,
    { title, body, updatedAt }: Pick<ChangelogItem, "title" | "body" | "updatedAt">,
  ): Promise<ChangelogItem | null> {
    const row = await this.db
      .updateTable("changelog")
      .set({ title, body, updated_at: updatedAt.getTime() })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toItem(row);
  }

  async deleteItem(id: string): Promise<boolean> {
    const row = await this.db.deleteFrom("changelog").where("id", "=", id).returning("id").executeTakeFirst();
    return row !== undefined;
  }

  async listWindows(limit: number): Promise<MaintenanceWindow[]> {
    const rows = await this.db
      .selectFrom("maintenance")
      .selectAll()
      .orderBy("starts_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toWindow);
  }

  async listCurrentWindows(now: Date): Promise<MaintenanceWindow[]> {
    const nowMs = now.getTime();
    const rows = await this.db
      .selectFrom("maintenance")
      .selectAll()
      .where("ends_at", ">", nowMs)
      .where((where) => where.or([where("ended_at", "is", null), where("ended_at", ">", nowMs)]))
      .orderBy("starts_at")
      .orderBy("id")
      .execute();
    return rows.map(toWindow);
  }

  async findWindow(id: string): Promise<MaintenanceWindow | null> {
    const row = await this.db.selectFrom("maintenance").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toWindow(row);
  }

  async createWindow(window: MaintenanceWindow): Promise<void> {
    const { id, title, body } = window;
    await this.db
      .insertInto("maintenance")
      .values({
        id,
        title,
        body,
        starts_at: window.startsAt.getTime(),
        ends_at: window.endsAt.getTime(),
        ended_at: window.endedAt?.getTime() ?? null,
        published_at: window.publishedAt.getTime(),
        updated_at: window.updatedAt.getTime(),
      })
      .execute();
  }

  async updatePlannedWindow(
    id: string,
    { title, body, startsAt, endsAt }: Pick<MaintenanceWindow, "title" | "body" | "startsAt" | "endsAt">,
    now: Date,
  ): Promise<MaintenanceWindow | null> {
    const nowMs = now.getTime();
    const row = await this.db
      .updateTable("maintenance")
      .set({ title, body, starts_at: startsAt.getTime(), ends_at: endsAt.getTime(), updated_at: nowMs })
      .where("id", "=", id)
      .where("starts_at", ">", nowMs)
      .where("ended_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toWindow(row);
  }

  async endWindow(id: string, at: Date): Promise<void> {
    await this.db
      .updateTable("maintenance")
      .set({ ended_at: at.getTime(), updated_at: at.getTime() })
      .where("id", "=", id)
      .where("ended_at", "is", null)
      .where("ends_at", ">", at.getTime())
      .execute();
  }
}

const toItem = (row: ChangelogRow): ChangelogItem => ({
  id: row.id,
  title: row.title,
  body: row.body,
  publishedAt: new Date(row.published_at),
  updatedAt: new Date(row.updated_at),
});

const toWindow = (row: MaintenanceRow): MaintenanceWindow => ({
  id: row.id,
  title: row.title,
  body: row.body,
  startsAt: new Date(row.starts_at),
  endsAt: new Date(row.ends_at),
  endedAt: row.ended_at === null ? null : new Date(row.ended_at),
  publishedAt: new Date(row.published_at),
  updatedAt: new Date(row.updated_at),
});
