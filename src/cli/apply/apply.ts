/** `sotto apply`: makes the service what a file says. */
import type { Command } from "commander";
import { endWith } from "../exit-codes.js";
import { environmentOf } from "../environment.js";
import { requireConfirmed } from "../input.js";
import { report } from "../output.js";
import { storeCommand, withStore } from "../store-command.js";
import { carryOut, errorAt, type Outcome, tryOut } from "./carry-out.js";
import { ConfigurationFile } from "./configuration-file.js";
import { fileSchema } from "./file-schema.js";
import type { FieldChange } from "./sections/fields.js";
import { Secret } from "./sections/secret.js";
import type { Change } from "./sections/section.js";
import { paint } from "../terminal.js";

interface ApplyOptions {
  dryRun?: true;
  check?: true;
  prune?: true;
  yes?: true;
  force?: true;
  schema?: true;
}

export function applyCommand(program: Command): void {
  storeCommand(program, "apply [file]", "make plans, teams, models and more what a file says")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--check", "the same, and end with 2 if something would change")
    .option("--prune", "delete what is not in the file, in the sections that it has")
    .option("--yes", "do not ask")
    .option("--force", "do not check that weights fit into memory, for machines whose GPU holds them")
    .option("--schema", "print the JSON Schema of the file, for editors")
    .notes(
      `
The file is YAML or JSON; '-' is standard input. Either all of it is applied or nothing. A running server follows within
seconds. Secrets are references: { env: NAME } or { file: path }. See docs/apply.md.

Examples:
  sotto export > sotto.yaml              write down what there is now
  sotto apply sotto.yaml                 show what changes, ask, and apply it
  sotto apply sotto.yaml --prune --yes   also delete what the file does not have
  sotto apply sotto.yaml --check         does the service still match the file?`,
    )
    .action(async (path: string | undefined, options: ApplyOptions, command: Command) => {
      if (options.schema === true) {
        console.log(JSON.stringify(fileSchema(), null, 2));
        return;
      }
      if (path === undefined) command.error("error: name a file, or '-' for standard input", { exitCode: 2 });
      const outcome = await apply(command, path, options);
      if (options.check === true && outcome.changes.length > 0) throw endWith(2);
    });
}

async function apply(command: Command, path: string, options: ApplyOptions): Promise<Outcome> {
  const file = await ConfigurationFile.read(path, environmentOf(command));
  const { prune = false, force = false } = options;
  return withStore(command, async ({ store, config, announce }) => {
    const asked = { file, config, prune, force };
    const planned = await tryOut(store, asked);
    const { changes, notes } = planned;
    for (const note of [...notes, ...(await warnings(planned, file))]) console.error(`warning: ${note}`);
    if (changes.length === 0 || options.dryRun === true || options.check === true) {
      const counted = `${describeChanges(changes)}\n\n${countChanges(changes, { create: "to create", change: "to change", delete: "to delete" })}.`;
      reportChanges(command, planned, false, changes.length === 0 ? "Nothing to change." : counted);
      return planned;
    }
    if (options.yes !== true) console.error(describeChanges(changes));
    const refusal =
      "there is no terminal to ask on. Add --yes to apply these changes, or --dry-run to see them only.";
    await requireConfirmed(command, "Apply these changes?", { refusal });
    const done = await carryOut(store, asked, planned);
    for (const line of done.recorded) announce(...line);
    const counted = countChanges(changes, { create: "created", change: "changed", delete: "deleted" });
    const secrets = Object.entries(done.webhookSecrets).map(
      ([url, secret]) => `\n\nThe secret of the webhook ${url}, shown only once:\n\n  ${secret}`,
    );
    const shown = options.yes === true ? `${describeChanges(changes)}\n\n` : "";
    reportChanges(
      command,
      done,
      true,
      `${shown}Applied: ${counted}. A running server follows within seconds.${secrets.join("")}`,
    );
    return done;
  });
}

/** Throws where something outside of the database forbids a change. */
async function warnings({ changes }: Outcome, file: ConfigurationFile): Promise<string[]> {
  const found: string[] = [];
  for (const { check, path } of changes) {
    try {
      found.push(...((await check?.()) ?? []));
    } catch (error) {
      throw errorAt(error, path, file);
    }
  }
  return found;
}

function reportChanges(
  command: Command,
  { changes, webhookSecrets }: Outcome,
  applied: boolean,
  text: string,
): void {
  const shown = changes.map(({ type, kind, name, fields }) => ({ type, kind, name, fields }));
  const secrets = applied ? { webhook_secrets: webhookSecrets } : {};
  report(command, { applied, changes: shown, ...secrets }, text);
}

/** For people: `+` is created, `~` changed, `-` deleted. */
const signs = { create: "+", change: "~", delete: "-" } as const;
const colours = { create: "green", change: "yellow", delete: "red" } as const;

function describeChanges(changes: readonly Change[]): string {
  return changes
    .flatMap(({ type, kind, name, fields }) => [
      paint(colours[type], `${signs[type]} ${[kind, name].filter((text) => text !== "").join(" ")}`),
      ...fields.map((field) => `    ${fieldText(field)}`),
    ])
    .join("\n");
}

/** Such as `1 created, 2 changed`. */
function countChanges(changes: readonly Change[], words: Record<Change["type"], string>): string {
  const count = (type: Change["type"]) => changes.filter((change) => change.type === type).length;
  return (["create", "change", "delete"] as const)
    .filter((type) => count(type) > 0)
    .map((type) => `${count(type)} ${words[type]}`)
    .join(", ");
}

function fieldText({ field, from, to }: FieldChange): string {
  if (from instanceof Secret && to instanceof Secret) return `${field}: another secret`;
  if (from === undefined) return `${field}: ${text(to)}`;
  return to === undefined ? `${field}: ${text(from)} (removed)` : `${field}: ${text(from)} → ${text(to)}`;
}

const text = (value: unknown): string =>
  value instanceof Secret ? value.toJSON() : typeof value === "string" ? value : JSON.stringify(value);
