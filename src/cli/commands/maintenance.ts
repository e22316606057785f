/** `sotto maintenance`: announces when the service will be down. */
import type { Command } from "commander";
import { parseTime } from "../option-values.js";
import { report, tableOf, time } from "../output.js";
import { storeCommand, withStore } from "../store-command.js";
import { News, wasCalledOff } from "../../core/admin/news.js";
import type { Audit } from "../../core/audit.js";
import { systemClock } from "../../core/clock.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { FullStore } from "../../store/full-store.js";

export function maintenanceCommand(program: Command): void {
  const maintenance = program
    .command("maintenance")
    .description("schedule, list and end maintenance windows");
  scheduleCommand(maintenance);
  listCommand(maintenance);
  endCommand(maintenance);
}

interface ScheduleOptions {
  from: Date;
  to: Date;
  title: string;
  body: string;
}

function scheduleCommand(maintenance: Command): void {
  storeCommand(maintenance, "schedule", "announce a maintenance window")
    .requiredOption("--from <time>", "when it begins, such as 2026-01-31T09:00Z", parseTime)
    .requiredOption("--to <time>", "when it ends", parseTime)
    .requiredOption("--title <title>", "what it is for")
    .option("--body <text>", "more about it, in Markdown", "")
    .addHelpText(
      "after",
      `
Examples:
  sotto maintenance schedule --from 2026-01-31T09:00Z --to 2026-01-31T10:00Z --title "New disks"

It appears in the changelog and its feed immediately.`,
    )
    .action(async ({ from, to, title, body }: ScheduleOptions, command: Command) => {
      const { window, state } = await withStore(command, async (store, _record, { audit }) => {
        const news = newsOf(store, audit);
        const window = await news.schedule("command line", { title, body, startsAt: from, endsAt: to });
        return { window, state: stateOf(news, window) };
      });
      report(
        command,
        toJson(window, state),
        `Scheduled ${window.title} (${window.id}), from ${time(window.startsAt)} to ${time(window.endsAt)} UTC.\nEnd it early or cancel it: sotto maintenance end ${window.id}`,
      );
    });
}

function listCommand(maintenance: Command): void {
  storeCommand(maintenance, "list", "list maintenance windows").action(
    async (_: unknown, command: Command) => {
      const listed = await withStore(command, async (store, _record, { audit }) => {
        const news = newsOf(store, audit);
        return (await news.listWindows()).map((window) => ({ window, state: stateOf(news, window) }));
      });
      const text = tableOf(listed, {
        state: ({ state }) => state,
        "from (utc)": ({ window }) => time(window.startsAt),
        "to (utc)": ({ window }) => time(window.endedAt ?? window.endsAt),
        title: ({ window }) => window.title,
        id: ({ window }) => window.id,
      });
      const none = "No maintenance is scheduled. See: sotto maintenance schedule --help";
      const json = listed.map(({ window, state }) => toJson(window, state));
      report(command, json, listed.length === 0 ? none : text);
    },
  );
}

function endCommand(maintenance: Command): void {
  storeCommand(maintenance, "end <id>", "end a window now, or cancel one that is scheduled").action(
    async (id: string, _: unknown, command: Command) => {
      const { window, state } = await withStore(command, async (store, _record, { audit }) => {
        const news = newsOf(store, audit);
        const window = await news.end("command line", id);
        return { window, state: stateOf(news, window) };
      });
      report(
        command,
        toJson(window, state),
        `${window.title} (${window.id}) is ${state === "called off" ? "called off" : "over"}.`,
      );
    },
  );
}

const stateOf = (news: News, window: MaintenanceWindow): string =>
  wasCalledOff(window) ? "called off" : news.stateOf(window);

/** Published the same way as from the dashboard. */
export const newsOf = (store: FullStore, audit: Audit): News => new News(store.news, audit, systemClock);

const toJson = (window: MaintenanceWindow, state: string) => ({
  id: window.id,
  title: window.title,
  body: window.body,
  state,
  starts_at: window.startsAt,
  ends_at: window.endsAt,
  ended_at: window.endedAt,
});
