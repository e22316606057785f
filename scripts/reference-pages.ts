import { readFileSync } from "node:fs";
import { format } from "prettier";
import { addCommands } from "../src/cli/command-list.js";
import { commandTree, flatten, helpText } from "../src/cli/command-tree.js";
import { answers, exitCodes } from "../src/cli/exit-codes.js";
import { newProgram } from "../src/cli/program.js";
import { eachField, fileName } from "../src/config.js";
import { errorTable } from "../src/core/errors.js";
import { defaultAliases } from "../src/core/model-aliases.js";
import { columnsText, leftovers, storedTables } from "../src/core/privacy-facts.js";
import { mails, protections } from "../src/core/privacy-promises.js";
import { adminVisible, fieldsText } from "../src/protocol/dashboard/admin-visible.js";
import { Metrics } from "../src/metrics.js";
import { catalog } from "../src/models/choice/catalog.js";
import { entrySize } from "../src/models/choice/fit-here.js";
import { formatBytes } from "../src/models/sizes.js";
import { agentMemory } from "../src/models/gguf/memory.js";
/**
 * The pages of docs/ that are generated from code: settings, errors, metrics, the catalogue of models, what is
 * stored.
 */

const groups: Record<string, string> = {
  service: "Service",
  accounts: "Accounts and dashboard",
  storage: "Database and Redis",
  engine: "Embedded engine",
  downloads: "Downloads of models",
  limits: "Limits and queue",
  omega: "Model omega",
  prism: "Model prism",
  lambda: "Model lambda",
  iota: "Model iota",
};

export async function configurationPage(): Promise<string> {
  const sections = Object.entries(groups).map(([group, title]) => {
    const rows = eachField()
      .filter((entry) => entry.group === group)
      .map(({ spec }) => {
        const names = spec.env.map((name) => `\`${name}\``).join(", ");
        return `| ${names} | \`${fileName(spec)}\` | ${spec.default === undefined ? unset(spec.doc) : shown(spec.default)} | ${spec.doc.replace(/ Default: none\.$/, "")} |`;
      });
    return `## ${title}\n\n| environment | in the file | default | description |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return markdown(`# Configuration

Nothing needs to be configured. A value comes from the command line (\`sotto serve --port 9000\`), then the
environment, then the YAML or JSON file passed with \`--config\`, then the default. All errors are reported
together, and the program does not start with any. An empty value, or \`auto\`, is the same as none: the default
applies.

${sections.join("\n")}
_Generated from \`src/config.ts\` by \`npm run docs\`._
`);
}

export async function commandLinePage(): Promise<string> {
  const program = newProgram();
  await addCommands(program, ["help"]);
  const commands = flatten(commandTree(program)).map(
    ({ path, command }) =>
      `## \`${`sotto ${path}`.trim()}\`\n\n\`\`\`text\n${helpText(command, { columns: 100 }).trim()}\n\`\`\`\n`,
  );
  const general = exitCodes.map(({ code, meaning }) => `| ${code} | every command | ${meaning} |`);
  const special = Object.entries(answers).flatMap(([command, codes]) =>
    codes.map(({ code, meaning }) => `| ${code} | \`sotto ${command}\` | ${meaning} |`),
  );
  return markdown(`# Command line

\`sotto help --all\` prints this page in a terminal. \`sotto completion bash\`, \`zsh\` or \`fish\` prints what these shells need
to complete commands and options. Results are on stdout, everything else on stderr. With \`--json\` a command prints one line
of JSON. Colours are for terminals only; \`NO_COLOR=1\` turns them off, \`FORCE_COLOR=1\` on.

## Exit codes

| code | of | meaning |
| --- | --- | --- |
${[...general, ...special].join("\n")}

A server that is stopped by SIGTERM or Ctrl-C ends with 0, and with 1 when a second signal cuts it short.

${commands.join("\n")}
_Generated from \`src/cli\` by \`npm run docs\`._
`);
}

export async function errorsPage(): Promise<string> {
  const rows = Object.entries(errorTable).map(
    ([code, entry]) => `| ${entry.status} | \`${entry.type}\` | \`${code}\` | ${entry.when} |`,
  );
  return markdown(`# Errors

Every error has this body; \`param\` names the invalid field, or is null.

\`\`\`json
{ "error": { "message": "…", "type": "authentication_error", "param": null, "code": "invalid_api_key" } }
\`\`\`

Once a stream has begun, an error arrives as its last event, \`data: {"error": …}\`, and the stream ends without
\`data: [DONE]\`; a stream of \`/v1/responses\` ends with \`response.failed\`. Every 429 and 503 carries
\`Retry-After\` in whole seconds, from 1 to 59; when a daily or monthly quota is used up, the time until its reset, with
\`x-should-retry: false\`. A request that exceeds a whole limit (400) carries that header, too. Messages never repeat what
was sent. Each response has an \`x-request-id\` that the operator can find in the log.

Under \`/v1/messages\` errors have the same statuses and headers, and the body of that API:
\`{"type": "error", "error": {"type", "message"}, "request_id"}\`. Its types are \`invalid_request_error\` (400),
\`authentication_error\` (401), \`permission_error\` (403), \`not_found_error\` (404), \`rate_limit_error\` (429),
\`overloaded_error\` (503 \`overloaded\`) and \`api_error\` (500 and the other 503s). In a stream the last event is
\`event: error\`.

Under Ollama's paths of \`/api\` the body is \`{"error": "…"}\`, with the same statuses, headers and sentences, and so is
the last line of a stream that broke off.

| status | type | code | when |
| --- | --- | --- | --- |
${rows.join("\n")}

_Generated from \`src/core/errors.ts\` by \`npm run docs\`._
`);
}

export async function metricsPage(): Promise<string> {
  const none = () => 0;
  const metrics = new Metrics({
    sequencesActive: none,
    sequencesCapacity: none,
    engineRestarts: none,
    engineMemoryBytes: none,
    queueWaiting: none,
    isStoreUp: () => true,
    isRedisUp: () => true,
  });
  const { body } = await metrics.text();
  const rows = [...body.matchAll(/^# HELP (sotto_\w+) (.+)\n# TYPE \1 (\w+)$/gm)].map(
    ([, name = "", help = "", type = ""]) => `| \`${name}\` | ${type} | ${help} |`,
  );
  return markdown(`# Metrics

For Prometheus, at \`/metrics\`: with the token of \`SOTTO_METRICS_TOKEN\`, or on the port of \`SOTTO_METRICS_PORT\`.
Labels are models, route names, statuses and error codes, never anything that a client could choose. The default
metrics of a Node.js process are included.

| name | type | description |
| --- | --- | --- |
${rows.join("\n")}

\`sotto_redis_up\` exists only if Redis is configured. While the database is unreachable, keys that were used in the last
minute keep working and everything else gets 503; while Redis is unreachable, each replica admits its share of every limit.
Both recover without a restart, and both are worth an alert.

_Generated from \`src/metrics.ts\` by \`npm run docs\`._
`);
}

/** The page with the table of the catalogue regenerated. */
export async function modelsPage(): Promise<string> {
  const rows = catalog.map(
    (entry) =>
      `| \`${entry.id}\` | ${entry.title} | ${entry.licence} | ${formatBytes(entry.bytes)} | ${formatBytes(agentMemory(entrySize(entry)))} | ${entry.contextTokens} | ${entry.suits.map((id) => `\`${id}\``).join(", ")} | ${entry.goodFor} |`,
  );
  const table = `| id | model | licence | size | memory | context | suits | good for |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}`;
  const page = readFileSync("docs/models.md", "utf8");
  return markdown(page.replace(/(<!-- catalogue[^>]*-->)[^]*?(<!-- end -->)/, `$1\n\n${table}\n\n$2`));
}

export async function privacyPage(): Promise<string> {
  const list = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
    [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const parts = {
    tables: list(
      ["table", "what it holds", "kept"],
      Object.entries(storedTables).map(([name, table]) => [`\`${name}\``, columnsText(table), table.kept]),
    ),
    admins: list(
      ["about", "what admins can read"],
      Object.values(adminVisible).map((group) => [group.title, fieldsText(group)]),
    ),
    leftovers: list(
      ["what", "until when"],
      leftovers.map(({ what, until }) => [what, until]),
    ),
    who: list(
      ["who", "what they are kept from", "by which means", "standing"],
      protections.map(({ who, what, means, standing }) => [who, what, means, `**${standing}**`]),
    ),
    mails: Object.values(mails)
      .map((text) => `- ${text}`)
      .join("\n"),
  };
  let page = readFileSync("docs/privacy.md", "utf8");
  for (const [name, text] of Object.entries(parts)) {
    page = page.replace(new RegExp(`(<!-- ${name}:[^>]*-->)[^]*?(<!-- end -->)`), `$1\n\n${text}\n\n$2`);
  }
  return markdown(page);
}

/** The description says what happens without the setting, unless nothing does. */
const unset = (doc: string): string => (/Default: (?!none)/.test(doc) ? "see description" : "none");

function shown(value: unknown): string {
  if (value === defaultAliases)
    return shown(defaultAliases.map(({ name, model }) => `${name}=${model}`).join(","));
  return typeof value === "string" ? `\`${value}\`` : `\`${JSON.stringify(value)}\``;
}

const markdown = (text: string): Promise<string> => format(text, { parser: "markdown", printWidth: 110 });
