/** `sotto changelog`: what is new, for users. */
import type { Command } from "commander";
import type { ChangelogItem } from "../../core/admin/ports.js";
import { newsOf } from "./maintenance.js";
import { report, tableOf, time } from "../output.js";
import { storeCommand, withStore } from "../store-command.js";

export function changelogCommand(program: Command): void {
  const changelog = program.command("changelog").description("publish and list what is new");
  addCommand(changelog);
  listCommand(changelog);
}

function addCommand(changelog: Command): void {
  storeCommand(changelog, "add <title>", "publish an entry")
    .option("--body <text>", "more about it, in Markdown", "")
    .addHelpText(
      "after",
      `
Examples:
  sotto changelog add "Longer context for prism" --body "prism now reads **8,192** tokens."`,
    )
    .action(async (title: string, { body }: { body: string }, command: Command) => {
      const item = await withStore(command, (store, _record, { audit }) =>
        newsOf(store, audit).publish("command line", title, body),
      );
      report(command, toJson(item), `Published ${item.title} (${item.id}).`);
    });
}

function listCommand(changelog: Command): void {
  storeCommand(changelog, "list", "list all entries, newest first").action(
    async (_: unknown, command: Command) => {
      const announcements = await withStore(command, (store, _record, { audit }) =>
        newsOf(store, audit).list(),
      );
      const items = announcements.flatMap(({ kind, item }) => (kind === "entry" ? [item] : []));
      const text = tableOf(items, {
        "published (utc)": (item) => time(item.publishedAt),
        title: (item) => item.title,
        id: (item) => item.id,
      });
      const none = 'Nothing is published yet. Begin: sotto changelog add "First release"';
      report(command, items.map(toJson), items.length === 0 ? none : text);
    },
  );
}

const toJson = (item: ChangelogItem) => ({
  id: item.id,
  title: item.title,
  body: item.body,
  published_at: item.publishedAt,
  updated_at: item.updatedAt,
});
