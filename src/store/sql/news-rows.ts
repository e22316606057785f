/** Changelog entries and maintenance windows, in SQL. */
import type { ChangelogItem, NewsStore } from "../../core/admin/ports.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import { fromRow, toRow } from "./rows.js";
import type { Db, Row } from "./schema.js";
import { deleteRow, findRow, findRows, ifFound, notEndedAt, updateRow } from "./statements.js";

export class SqlNews implements NewsStore {
  constructor(private readonly db: Db) {}

  async listItems(limit: number): Promise<ChangelogItem[]> {
    return (await findRows(this.db, "changelog", {}, ["published_at desc", "id"], limit)).map(toItem);
  }

  async findItem(id: string): Promise<ChangelogItem | null> {
    return ifFound(await findRow(this.db, "changelog", { id }), toItem);
  }

  async createItem(item: ChangelogItem): Promise<void> {
    await this.db.insertInto("changelog").values(toRow(item)).execute();
  }

  async updateItem(
    id: string,
    { title, body, updatedAt }: Pick<ChangelogItem, "title" | "body" | "updatedAt">,
  ): Promise<ChangelogItem | null> {
    const set = toRow({ title, body, updatedAt });
    return ifFound(await updateRow(this.db, "changelog", { id }, set), toItem);
  }

  async deleteItem(id: string): Promise<boolean> {
    return (await deleteRow(this.db, "changelog", { id })) !== undefined;
  }

  async listWindows(limit: number): Promise<MaintenanceWindow[]> {
    return (await findRows(this.db, "maintenance", {}, ["starts_at desc", "id"], limit)).map(toWindow);
  }

  async listCurrentWindows(now: Date): Promise<MaintenanceWindow[]> {
    const current = { ends_at: [">", now], ended_at: notEndedAt(now) } as const;
    return (await findRows(this.db, "maintenance", current, ["starts_at", "id"])).map(toWindow);
  }

  async findWindow(id: string): Promise<MaintenanceWindow | null> {
    return ifFound(await findRow(this.db, "maintenance", { id }), toWindow);
  }

  async createWindow(window: MaintenanceWindow): Promise<void> {
    await this.db.insertInto("maintenance").values(toRow(window)).execute();
  }

  async updatePlannedWindow(
    id: string,
    { title, body, startsAt, endsAt }: Pick<MaintenanceWindow, "title" | "body" | "startsAt" | "endsAt">,
    now: Date,
  ): Promise<MaintenanceWindow | null> {
    const planned = { id, starts_at: [">", now], ended_at: null } as const;
    const set = toRow({ title, body, startsAt, endsAt, updatedAt: now });
    return ifFound(await updateRow(this.db, "maintenance", planned, set), toWindow);
  }

  async endWindow(id: string, at: Date): Promise<void> {
    const current = { id, ended_at: null, ends_at: [">", at] } as const;
    await updateRow(this.db, "maintenance", current, toRow({ endedAt: at, updatedAt: at }));
  }
}

const toItem = (row: Row<ChangelogItem>) => fromRow<ChangelogItem>(row);
const toWindow = (row: Row<MaintenanceWindow>) => fromRow<MaintenanceWindow>(row);
