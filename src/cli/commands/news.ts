/** `sotto changelog`: what is new, for users; `sotto maintenance`: when the service will be down. */
import type { Command } from "commander";
import type { ChangelogItem } from "../../core/admin/ports.js";
import { tableOf, time } from "../output.js";
import { actor, storeCommand, type StoreParts } from "../store-command.js";
import { parseTime } from "../option-values.js";
import { News, wasCalledOff } from "../../core/admin/news.js";
import { systemClock } from "../../core/clock.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";

export function changelogCommand(program: Command): void {
  const changelog = program.command("changelog").description("publish and list what is new");
  storeCommand(changelog, "add <title>", "publish an entry")
    .option("--body <text>", "more about it, in Markdown", "")
    .notes(
      `
Examples:
  sotto changelog add "Longer context for prism" --body "prism now reads **8,192** tokens."`,
    )
    .onStore(async (parts, title: string, { body }: { body: string }) => {
      const item = await newsOf(parts).publish(actor, title, body);
      return [itemJson(item), `Published ${item.title} (${item.id}).`];
    });
  storeCommand(changelog, "list", "list all entries, newest first").onStore(async (parts) => {
    const items = await newsOf(parts).listEntries();
    const text = tableOf(items, {
      "published (utc)": (item) => time(item.publishedAt),
      title: (item) => item.title,
      id: (item) => item.id,
    });
    return [
      items.map(itemJson),
      text || 'Nothing is published yet. Begin: sotto changelog add "First release"',
    ];
  });
}

const itemJson = (item: ChangelogItem) => ({
  id: item.id,
  title: item.title,
  body: item.body,
  published_at: item.publishedAt,
  updated_at: item.updatedAt,
});

interface ScheduleOptions {
  from: Date;
  to: Date;
  title: string;
  body: string;
}

export function maintenanceCommand(program: Command): void {
  const maintenance = program
    .command("maintenance")
    .description("schedule, list and end maintenance windows");
  storeCommand(maintenance, "schedule", "announce a maintenance window")
    .requiredOption("--from <time>", "when it begins, such as 2026-01-31T09:00Z", parseTime)
    .requiredOption("--to <time>", "when it ends", parseTime)
    .requiredOption("--title <title>", "what it is for")
    .option("--body <text>", "more about it, in Markdown", "")
    .notes(
      `
Examples:
  sotto maintenance schedule --from 2026-01-31T09:00Z --to 2026-01-31T10:00Z --title "New disks"

It appears in the changelog and its feed immediately.`,
    )
    .onStore(async (parts, { from: startsAt, to: endsAt, title, body }: ScheduleOptions) => {
      const news = newsOf(parts);
      const window = await news.schedule(actor, { title, body, startsAt, endsAt });
      const text = `Scheduled ${window.title} (${window.id}), from ${time(window.startsAt)} to ${time(window.endsAt)} UTC.\nEnd it early or cancel it: sotto maintenance end ${window.id}`;
      return [windowJson(window, news), text];
    });
  storeCommand(maintenance, "list", "list maintenance windows").onStore(async (parts) => {
    const news = newsOf(parts);
    const windows = await news.listWindows();
    const text = tableOf(windows, {
      state: (window) => stateOf(window, news),
      "from (utc)": (window) => time(window.startsAt),
      "to (utc)": (window) => time(window.endedAt ?? window.endsAt),
      title: (window) => window.title,
      id: (window) => window.id,
    });
    return [
      windows.map((window) => windowJson(window, news)),
      text || "No maintenance is scheduled. See: sotto maintenance schedule --help",
    ];
  });
  storeCommand(maintenance, "end <id>", "end a window now, or cancel one that is scheduled").onStore(
    async (parts, id: string) => {
      const news = newsOf(parts);
      const window = await news.end(actor, id);
      const state = wasCalledOff(window) ? "called off" : "over";
      return [windowJson(window, news), `${window.title} (${window.id}) is ${state}.`];
    },
  );
}

const stateOf = (window: MaintenanceWindow, news: News): string =>
  wasCalledOff(window) ? "called off" : news.stateOf(window);

/** Published the same way as from the dashboard. */
const newsOf = ({ store, audit }: Pick<StoreParts, "store" | "audit">): News =>
  new News(store.news, audit, systemClock);

const windowJson = (window: MaintenanceWindow, news: News) => ({
  id: window.id,
  title: window.title,
  body: window.body,
  state: stateOf(window, news),
  starts_at: window.startsAt,
  ends_at: window.endsAt,
  ended_at: window.endedAt,
});
