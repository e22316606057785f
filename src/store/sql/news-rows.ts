/** Changelog entries and maintenance windows, in SQL. */
import type { Kysely } from "kysely";
import type { ChangelogItem, NewsStore } from "../../core/admin/ports.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import { deleteRow, findRow, updateRow } from "./by-columns.js";
import { fromRow, toRow } from "./entity-rows.js";
import type { Schema } from "./schema.js";

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
    return rows.map((row) => fromRow<ChangelogItem>(row));
  }

  async findItem(id: string): Promise<ChangelogItem | null> {
    const row = await findRow(this.db, "changelog", { id });
    return row === undefined ? null : fromRow<ChangelogItem>(row);
  }

  async createItem(item: ChangelogItem): Promise<void> {
    await this.db.insertInto("changelog").values(toRow(item)).execute();
  }

  async updateItem(
    id: string,
    { title, body, updatedAt }: Pick<ChangelogItem, "title" | "body" | "updatedAt">,
  ): Promise<ChangelogItem | null> {
    const set = { title, body, updated_at: updatedAt.getTime() };
    const row = await updateRow(this.db, "changelog", { id }, set);
    return row === undefined ? null : fromRow<ChangelogItem>(row);
  }

  async deleteItem(id: string): Promise<boolean> {
    return (await deleteRow(this.db, "changelog", { id })) !== undefined;
  }

  async listWindows(limit: number): Promise<MaintenanceWindow[]> {
    const rows = await this.db
      .selectFrom("maintenance")
      .selectAll()
      .orderBy("starts_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map((row) => fromRow<MaintenanceWindow>(row));
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
    return rows.map((row) => fromRow<MaintenanceWindow>(row));
  }

  async findWindow(id: string): Promise<MaintenanceWindow | null> {
    const row = await findRow(this.db, "maintenance", { id });
    return row === undefined ? null : fromRow<MaintenanceWindow>(row);
  }

  async createWindow(window: MaintenanceWindow): Promise<void> {
    await this.db.insertInto("maintenance").values(toRow(window)).execute();
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
    return row === undefined ? null : fromRow<MaintenanceWindow>(row);
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
