/** `sotto changelog`: what is new, for users. */
import type { Command } from "commander";
import type { ChangelogItem } from "../../core/admin/ports.js";
import { newsOf } from "./maintenance.js";
import { tableOf, time } from "../output.js";
import { actor, onStore, storeCommand } from "../store-command.js";

export function changelogCommand(program: Command): void {
  const changelog = program.command("changelog").description("publish and list what is new");
  storeCommand(changelog, "add <title>", "publish an entry")
    .option("--body <text>", "more about it, in Markdown", "")
    .addHelpText(
      "after",
      `
Examples:
  sotto changelog add "Longer context for prism" --body "prism now reads **8,192** tokens."`,
    )
    .action(
      onStore(async (parts, title: string, { body }: { body: string }) => {
        const item = await newsOf(parts).publish(actor, title, body);
        return [toJson(item), `Published ${item.title} (${item.id}).`];
      }),
    );
  storeCommand(changelog, "list", "list all entries, newest first").action(
    onStore(async (parts) => {
      const items = await newsOf(parts).listEntries();
      const text = tableOf(items, {
        "published (utc)": (item) => time(item.publishedAt),
        title: (item) => item.title,
        id: (item) => item.id,
      });
      return [
        items.map(toJson),
        text || 'Nothing is published yet. Begin: sotto changelog add "First release"',
      ];
    }),
  );
}

const toJson = (item: ChangelogItem) => ({
  id: item.id,
  title: item.title,
  body: item.body,
  published_at: item.publishedAt,
  updated_at: item.updatedAt,
});
