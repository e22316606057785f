/** Every command, in the order in which `--help` lists them. Each is loaded when it is needed. */
import type { Command } from "./command.js";

interface Entry {
  name: string;
  load: () => Promise<(program: Command) => void>;
}

const entries: readonly Entry[] = [
  { name: "serve", load: async () => (await import("./serve/serve.js")).serveCommand },
  { name: "open", load: async () => (await import("./commands/open.js")).openCommand },
  { name: "chat", load: async () => (await import("./chat/chat.js")).chatCommand },
  { name: "top", load: async () => (await import("./top/top.js")).topCommand },
  { name: "accounts", load: async () => (await import("./commands/accounts.js")).accountsCommand },
  { name: "keys", load: async () => (await import("./commands/keys.js")).keysCommand },
  { name: "teams", load: async () => (await import("./commands/teams.js")).teamsCommand },
  { name: "connect", load: async () => (await import("./connect/connect.js")).connectCommand },
  { name: "plans", load: async () => (await import("./commands/plans.js")).plansCommand },
  { name: "models", load: async () => (await import("./models/models.js")).modelsCommand },
  { name: "apply", load: async () => (await import("./apply/apply.js")).applyCommand },
  { name: "export", load: async () => (await import("./apply/export.js")).exportCommand },
  { name: "engine", load: async () => (await import("./commands/engine-libraries.js")).engineCommand },
  { name: "service", load: async () => (await import("./service/service.js")).serviceCommand },
  { name: "changelog", load: async () => (await import("./commands/news.js")).changelogCommand },
  { name: "maintenance", load: async () => (await import("./commands/news.js")).maintenanceCommand },
  { name: "backup", load: async () => (await import("./commands/store.js")).backupCommand },
  { name: "store", load: async () => (await import("./commands/store.js")).storeCommands },
  { name: "verify", load: async () => (await import("./verify/verify.js")).verifyCommand },
  { name: "proof", load: async () => (await import("./commands/proof.js")).proofCommand },
  { name: "privacy", load: async () => (await import("./privacy/privacy.js")).privacyCommand },
  { name: "upgrade", load: async () => (await import("./commands/upgrade.js")).upgradeCommand },
  { name: "doctor", load: async () => (await import("./doctor/doctor.js")).doctorCommand },
  { name: "completion", load: async () => (await import("./commands/completion.js")).completionCommand },
  { name: "help", load: async () => (await import("./commands/help.js")).helpCommand },
];

export const commandNames: readonly string[] = entries.map(({ name }) => name);

/** They speak of all the others. */
const needAll = ["completion", "help"];

/** Adds the command that the first argument names, or all of them if it names none, as for `--help`. */
export async function addCommands(program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === "--version") return;
  const named = entries.filter(({ name }) => name === args[0] && !needAll.includes(name));
  const wanted = named.length === 0 ? entries : named;
  for (const add of await Promise.all(wanted.map(({ load }) => load()))) add(program);
}
