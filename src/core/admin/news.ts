/**
 * Announcements by admins: changelog entries, and maintenance windows, which appear in it as soon
 * as they are scheduled. Whether a window is planned, open or over follows from the clock; it is not stored.
 */
import { randomUUID } from "node:crypto";
import { longest } from "../bounds.js";
import type { Actor, Audit } from "../audit.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { ChangelogItem, NewsStore } from "./ports.js";
import { isOver, type MaintenanceWindow } from "../serving/maintenance-gate.js";
import type { Clock } from "../clock.js";

/** The most of each kind that pages and feed show. */
const shown = 200;
const noEntry = "There is no such entry.";

export type Announcement =
  { kind: "entry"; item: ChangelogItem } | { kind: "maintenance"; item: MaintenanceWindow };

export type WindowState = "planned" | "open" | "over";

export interface NewWindow {
  title: string;
  body: string;
  startsAt: Date;
  endsAt: Date;
}

export class News {
  constructor(
    private readonly store: NewsStore,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  /** Newest announcement first. */
  async list(): Promise<Announcement[]> {
    const [items, windows] = await Promise.all([this.store.listItems(shown), this.store.listWindows(shown)]);
    return [
      ...items.map((item): Announcement => ({ kind: "entry", item })),
      ...windows.map((item): Announcement => ({ kind: "maintenance", item })),
    ].sort((a, b) => b.item.publishedAt.getTime() - a.item.publishedAt.getTime());
  }

  /** The entries alone, the newest first. */
  listEntries(): Promise<ChangelogItem[]> {
    return this.store.listItems(shown);
  }

  async requireEntry(id: string): Promise<ChangelogItem> {
    return existing(await this.store.findItem(id), noEntry);
  }

  async publish(actor: Actor, title: string, body: string): Promise<ChangelogItem> {
    const now = this.clock.now();
    const item = { id: randomUUID(), ...checkText(title, body), publishedAt: now, updatedAt: now };
    await this.store.createItem(item);
    await this.audit.record(actor, "published changelog entry", item.id);
    return item;
  }

  async change(actor: Actor, id: string, title: string, body: string): Promise<ChangelogItem> {
    const change = { ...checkText(title, body), updatedAt: this.clock.now() };
    const item = existing(await this.store.updateItem(id, change), noEntry);
    await this.audit.record(actor, "changed changelog entry", id);
    return item;
  }

  async remove(actor: Actor, id: string): Promise<void> {
    if (!(await this.store.deleteItem(id))) throw new DashboardError("not_found", noEntry);
    await this.audit.record(actor, "deleted changelog entry", id);
  }

  listWindows(): Promise<MaintenanceWindow[]> {
    return this.store.listWindows(shown);
  }

  /** Those that took place and ended since then, the newest first. */
  async listPastWindows(since: Date): Promise<MaintenanceWindow[]> {
    const windows = await this.store.listWindows(shown);
    return windows.filter(
      (window) => this.stateOf(window) === "over" && !wasCalledOff(window) && window.endsAt >= since,
    );
  }

  /** Open ones, then planned ones, each by their start. */
  currentWindows(): Promise<MaintenanceWindow[]> {
    return this.store.listCurrentWindows(this.clock.now());
  }

  /** The window that is open now. */
  async openWindow(): Promise<MaintenanceWindow | null> {
    const windows = await this.currentWindows();
    return windows.find((window) => this.stateOf(window) === "open") ?? null;
  }

  async schedule(actor: Actor, planned: NewWindow): Promise<MaintenanceWindow> {
    const now = this.clock.now();
    const checked = checkWindow(planned, now);
    const window = { id: randomUUID(), ...checked, endedAt: null, publishedAt: now, updatedAt: now };
    await this.store.createWindow(window);
    await this.audit.record(actor, "scheduled maintenance", window.id);
    return window;
  }

  /** Only until it begins: what people were told about a window that is open or over stays as it was. */
  async reschedule(actor: Actor, id: string, planned: NewWindow): Promise<MaintenanceWindow> {
    const now = this.clock.now();
    const window = await this.store.updatePlannedWindow(id, checkWindow(planned, now), now);
    if (window === null) {
      await this.requireWindow(id);
      throw new DashboardError("conflict", "This maintenance is no longer planned and cannot be changed.");
    }
    await this.audit.record(actor, "changed maintenance", id);
    return window;
  }

  /** Ends an open window now, or calls off a planned one. */
  async end(actor: Actor, id: string): Promise<MaintenanceWindow> {
    const before = await this.requireWindow(id);
    const isOver = this.stateOf(before) === "over";
    await this.store.endWindow(id, this.clock.now());
    const window = await this.requireWindow(id);
    const action = wasCalledOff(window) ? "called off maintenance" : "ended maintenance";
    if (!isOver) await this.audit.record(actor, action, id);
    return window;
  }

  stateOf(window: MaintenanceWindow): WindowState {
    const now = this.clock.now();
    if (isOver(window, now)) return "over";
    return window.startsAt <= now ? "open" : "planned";
  }

  async requireWindow(id: string): Promise<MaintenanceWindow> {
    return existing(await this.store.findWindow(id), "There is no such maintenance window.");
  }
}

/** Ended before it began. */
export const wasCalledOff = ({
  startsAt,
  endedAt,
}: Pick<MaintenanceWindow, "startsAt" | "endedAt">): boolean => endedAt !== null && endedAt <= startsAt;

function checkWindow({ title, body, startsAt, endsAt }: NewWindow, now: Date): NewWindow {
  if (endsAt <= startsAt || endsAt <= now) {
    throw invalid("endsAt", "The end must be after the start, and in the future.");
  }
  return { ...checkText(title, body), startsAt, endsAt };
}

/** The same bounds for the page and the command line. Databases and feeds cannot hold control characters. */
function checkText(title: string, body: string): { title: string; body: string } {
  const trimmed = title.trim();
  if (trimmed === "" || trimmed.length > longest.title || /\p{Cc}/u.test(trimmed)) {
    const rule = `The title must have 1 to ${longest.title} characters, none of them control characters.`;
    throw invalid("title", rule);
  }
  const text = body.replaceAll("\r\n", "\n");
  if (text.length > longest.announcement || /[^\P{Cc}\n\t]/u.test(text)) {
    const rule = `The text must have at most ${longest.announcement} characters, none of them control characters.`;
    throw invalid("body", rule);
  }
  return { title: trimmed, body: text };
}
