/** `sotto upgrade`: what a new version does to the database, before its server does it. */
import type { Command } from "commander";
import { packageVersion } from "../../adapters/program-files.js";
import { formatBytes } from "../../models/sizes.js";
import type { UpgradeReport } from "../../store/upgrade-report.js";
import { endWith } from "../exit-codes.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { paint } from "../terminal.js";

export function upgradeCommand(program: Command): void {
  storeCommand(program, "upgrade", "migrate the database to this version, as the next start would")
    .option("--check", "say what would be done, and do nothing")
    .notes(
      `
A server migrates its database when it starts; this command does the same without one. On SQLite a copy is taken first
(SOTTO_UPGRADE_COPY_DAYS). There is no downgrade but to restore that copy, or a backup: docs/upgrading.md.

With --check it ends with 0 when there is nothing to do, with 2 when migrations would run, and with 1 when the upgrade
would be refused.

Examples:
  sotto upgrade --check
  sotto upgrade`,
    )
    .action(async ({ check }: { check?: boolean }, command: Command) => {
      // Loaded when it is needed: other commands wait for no database library.
      const { reportUpgrade } = await import("../../store/upgrade-report.js");
      const found = await reportUpgrade(readSettings(command));
      if (check === true) {
        endCheck(command, found);
        return;
      }
      const { applied, pending } = found;
      await withStore(command, async () => undefined);
      const done = pending.length === 0 ? sentences.current : `Migrated: ${pending.join(", ")}.`;
      const text = applied === 0 ? "A new database was created." : done;
      report(command, { version: packageVersion(), migrated: pending }, text);
    });
}

type Verdict = "new" | "current" | "pending" | "newer" | "no_room";

function endCheck(command: Command, found: UpgradeReport): void {
  const verdict = verdictOf(found);
  const { copies, ...facts } = found;
  report(
    command,
    {
      verdict,
      program: packageVersion(),
      ...facts,
      copies: copies.map(({ file, step, takenAt }) => ({ file, step, takenAt: takenAt.toISOString() })),
    },
    `${describe(found)}\n\n${sentences[verdict]}`,
  );
  const code = exitCodes[verdict];
  if (code !== 0) throw endWith(code);
}

function verdictOf({ applied, known, pending, copy }: UpgradeReport): Verdict {
  if (applied === 0) return "new";
  if (applied > known) return "newer";
  if (pending.length === 0) return "current";
  return copy !== null && copy.freeBytes < copy.copyBytes ? "no_room" : "pending";
}

const exitCodes: Record<Verdict, number> = { new: 0, current: 0, pending: 2, newer: 1, no_room: 1 };

const sentences: Record<Verdict, string> = {
  new: "There is no database yet: the first start creates it.",
  current: "Nothing to do.",
  pending: "The next start migrates the database, or 'sotto upgrade' now.",
  newer:
    "A newer version has migrated this database, and this one does not start on it. docs/upgrading.md says how to go back.",
  no_room:
    "The disk has no room for the copy that is taken first, so the upgrade would be refused. Make room, or take a backup elsewhere and set SOTTO_UPGRADE_COPY_DAYS=0.",
};

function describe({ place, version, applied, known, pending, rows, copy, copies }: UpgradeReport): string {
  const counts = Object.entries(rows);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const [newest] = copies;
  const lines: [string, string][] = [
    ["database", place],
    ["migrated by", applied === 0 ? "none" : `${version ?? "an unknown version"} (step ${applied})`],
    ["this is", `${packageVersion()} (step ${known})`],
    ["to be applied", pending.length === 0 ? "none" : pending.join(", ")],
    ["rows", `${total.toLocaleString("en")} in ${counts.length} tables`],
  ];
  if (copy !== null)
    lines.push([
      "copy",
      `${formatBytes(copy.copyBytes)} in ${copy.folder}, ${formatBytes(copy.freeBytes)} free`,
    ]);
  if (newest !== undefined) lines.push(["last copy", `${newest.file} (step ${newest.step})`]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${paint("bold", name.padEnd(width))}  ${text}`).join("\n");
}
