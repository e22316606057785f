/** `sotto apply`: makes the service what a file says. */
import { type Command, CommanderError } from "commander";
import { environmentOf } from "../environment.js";
import { confirm } from "../input.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { UserError } from "../../core/user-error.js";
import { carryOut, errorAt, type Outcome, tryOut } from "./carry-out.js";
import { ConfigurationFile } from "./configuration-file.js";
import { changeJson, countChanges, describeChanges } from "./describe-changes.js";
import { fileSchema } from "./file-schema.js";

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
    .addHelpText(
      "after",
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
      // Commander's own way to end with a status, without a message.
      if (options.check === true && outcome.changes.length > 0)
        throw new CommanderError(2, "commander.error", "");
    });
}

async function apply(command: Command, path: string, options: ApplyOptions): Promise<Outcome> {
  const config = readSettings(command);
  const file = await ConfigurationFile.read(path, environmentOf(command));
  const { prune = false, force = false } = options;
  const asked = { file, config, prune, force };
  return withStore(command, async (store, _, { announce }) => {
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
    if (!(await confirm(command, "Apply these changes?", refusal)))
      throw new UserError("Not confirmed, so nothing was changed.");
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
  const secrets = applied ? { webhook_secrets: webhookSecrets } : {};
  report(command, { applied, changes: changes.map(changeJson), ...secrets }, text);
}
