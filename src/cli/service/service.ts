/** `sotto service`: keeps the server running on one machine, by systemd or launchd, and takes it away again. */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { Option } from "commander";
import { packageFile } from "../../adapters/program-files.js";
import { UserError } from "../../core/user-error.js";
import type { Command } from "../command.js";
import { type Environment, environmentOf, hasProgram } from "../environment.js";
import { endWith } from "../exit-codes.js";
import { confirm } from "../input.js";
import { parseCount } from "../option-values.js";
import { report } from "../output.js";
import { removePlanned, writePlanned } from "./files.js";
import { launchdPlan } from "./launchd.js";
import type { Installation, ServicePlan, ServiceStatus, Step } from "./service-plan.js";
import { systemdPlan } from "./systemd.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export function serviceCommand(program: Command): void {
  const service = program
    .command("service")
    .description("install the server as a service of this machine or user (systemd, launchd)");
  installCommand(service);
  uninstallCommand(service);
  statusCommand(service);
  logsCommand(service);
}

const subcommand = (service: Command, usage: string, description: string): Command =>
  service
    .command(usage)
    .description(description)
    .addOption(new Option("--system", "for the machine; the default for root").conflicts("user"))
    .option("--user", "for this user alone; the default for everyone else, and on macOS");

const asJson = ["--json", "print one line of JSON instead of text"] as const;

interface InstallFlags {
  print?: boolean;
  root?: string;
  start: boolean;
}

function installCommand(service: Command): void {
  subcommand(service, "install", "install or update the service, and start it")
    .option("--print", "show the files and commands, and change nothing")
    .option("--root <dir>", "write the files below this folder and run nothing: for images of machines")
    .option("--no-start", "start it with the machine or session only, not now")
    .option(...asJson)
    .notes(
      `
After an upgrade of Sotto or Node run it again: it writes the unit as this version has it and restarts the service. The
file of settings is written once and never changed. Logs go to the journal (macOS: ~/Library/Logs/Sotto).

Examples:
  sudo sotto service install
  sotto service install --user --print`,
    )
    .action(async (flags: InstallFlags, command: Command) => {
      const plan = planOf(command);
      if (flags.print === true) {
        report(command, described(plan), printed(plan));
        return;
      }
      if (flags.root !== undefined) {
        const written = writePlanned(plan, flags.root);
        report(command, { written }, `Wrote ${written.join(", ")}. Enable the service in the image itself.`);
        return;
      }
      await requireManager(command, plan);
      requireLasting(plan);
      const env = environmentOf(command);
      writePlanned(plan);
      for (const step of [...plan.enable, ...(flags.start ? plan.start : [])]) await runStep(step, env);
      const settings = plan.files.find(({ isSettings }) => isSettings)?.path;
      report(
        command,
        { ...described(plan), started: flags.start },
        [
          flags.start ? "The service was installed and started." : "The service was installed.",
          `  data      ${plan.dataDir}`,
          `  settings  ${settings ?? "none"}`,
          "The set-up link is in its log: sotto service logs",
          ...plan.notes,
        ].join("\n"),
      );
    });
}

function uninstallCommand(service: Command): void {
  subcommand(service, "uninstall", "stop and remove the service; keeps settings and data")
    .option("--purge", "also delete settings and data: accounts, keys, usage, models")
    .option("--yes", "do not ask")
    .option(...asJson)
    .action(async ({ purge }: { purge?: boolean }, command: Command) => {
      const plan = planOf(command);
      await requireManager(command, plan);
      const question = `Delete the service with its settings and everything in ${plan.dataDir}?`;
      if (purge === true && !(await confirm(command, question))) return;
      const env = environmentOf(command);
      // Stopping fails if it is not loaded, which is fine.
      for (const step of plan.stop) await runStep(step, env).catch(() => undefined);
      const removed = removePlanned(plan, purge === true);
      for (const step of plan.forget) await runStep(step, env);
      if (purge === true) for (const step of plan.purge) await runStep(step, env).catch(() => undefined);
      const kept = purge === true ? "" : ` Its data is still in ${plan.dataDir}.`;
      report(
        command,
        { removed },
        removed.length === 0 ? "There was no service." : `Removed the service.${kept}`,
      );
    });
}

function statusCommand(service: Command): void {
  subcommand(service, "status", "say whether the service runs; exits with 1 if it does not")
    .option(...asJson)
    .action(async (_: unknown, command: Command) => {
      const plan = planOf(command);
      await requireManager(command, plan);
      const env = environmentOf(command);
      const status = plan.readStatus(await runStep(plan.status, env).catch(() => ""));
      report(command, status, statusText(status));
      if (!status.running) throw endWith(1);
    });
}

function statusText({ installed, state, pid, enabled }: ServiceStatus): string {
  if (!installed) return "The service is not installed. To install it: sotto service install";
  const process = pid === null ? "" : `, process ${pid}`;
  return `The service is ${state}${process}${enabled === false ? "; it does not start by itself" : ""}.`;
}

function logsCommand(service: Command): void {
  subcommand(service, "logs", "show the service's log")
    .option("-f, --follow", "wait for more lines")
    .addOption(
      new Option("-n, --lines <count>", "how many of the last lines").argParser(parseCount).default(100),
    )
    .action(async ({ lines, follow }: { lines: number; follow?: boolean }, command: Command) => {
      const plan = planOf(command);
      await requireManager(command, plan);
      await showStep(plan.logs(lines, follow === true), environmentOf(command));
    });
}

function planOf(command: Command): ServicePlan {
  const { system, user } = command.opts<{ system?: boolean; user?: boolean }>();
  const env = environmentOf(command);
  const uid = process.getuid?.() ?? -1;
  const isForUser = user === true || (system !== true && uid !== 0);
  const installation: Installation = {
    scope: isForUser ? "user" : "system",
    command: [process.execPath, fileURLToPath(packageFile("dist/main.js")), "serve"],
    home: env["HOME"] ?? homedir(),
    uid,
    env,
  };
  if (process.platform === "linux") return systemdPlan(installation);
  if (process.platform === "darwin") {
    if (system === true)
      throw new UserError(
        "On macOS the service belongs to a user and runs while they are logged in: leave out --system.",
      );
    return launchdPlan({ ...installation, scope: "user" });
  }
  throw new UserError(
    `There is no service manager for ${process.platform} here. Keep 'sotto serve' running by other means.`,
  );
}

/** Before anything is written: a machine without it would be left with files that nothing reads. */
async function requireManager(command: Command, { probe }: ServicePlan): Promise<void> {
  const env = environmentOf(command);
  const [manager = ""] = probe;
  const reason = hasProgram(env, manager)
    ? await runStep(probe, env).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : "it failed"),
      )
    : `${manager} was not found`;
  if (reason === null) return;
  const name = manager === "systemctl" ? "systemd" : "launchd";
  throw new UserError(
    `${reason}. This machine or session is not run by ${name}, as in most containers. 'sotto service install --print' shows what another service manager needs.`,
  );
}

/** A service starts again after months: what it runs must still be there, and readable for its user. */
function requireLasting({ scope, files: [unit] }: ServicePlan): void {
  const text = unit?.text ?? "";
  if (/[/\\]_npx[/\\]/.test(text)) {
    throw new UserError(
      "This program is in npx's cache, which npm clears. Install it first: npm install --global",
    );
  }
  const inHome = /^ExecStart=.*?((?:\/home|\/root)\/[^\s"]*)/m.exec(text)?.[1];
  if (scope === "system" && inHome !== undefined) {
    throw new UserError(
      `The machine's service has a user of its own, who cannot read ${inHome}. Install Node and Sotto outside of home directories, or use --user.`,
    );
  }
}

const described = ({ scope, files, dataDir }: ServicePlan) => ({
  scope,
  dataDir,
  files: files.map(({ path, text, mode }) => ({ path, mode: mode.toString(8), text })),
});

const printed = ({ files, enable, start }: ServicePlan): string =>
  [
    ...files.map(({ path, text, mode }) => `# --- ${path} (mode ${mode.toString(8)})\n${text}`),
    `# --- then\n${[...enable, ...start].map((step) => step.join(" ")).join("\n")}`,
  ].join("\n");

/** A command of the service manager. Returns what it printed; throws with its own words when it fails. */
async function runStep([program = "", ...args]: Step, env: Environment): Promise<string> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close").catch((): unknown[] => []);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  const reason = errors.trim() === "" ? "it could not be run" : errors.trim();
  throw new UserError(`'${[program, ...args].join(" ")}' failed: ${reason}`);
}

/** Runs it in this terminal until it ends, or until Ctrl-C ends it. */
async function showStep([program = "", ...args]: Step, env: Environment): Promise<void> {
  const child = spawn(program, args, { env, stdio: "inherit" });
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  try {
    const [code, signal] = await once(child, "exit").catch((): unknown[] => []);
    if (code === 0 || code === 130 || typeof signal === "string") return;
    throw new UserError(`'${[program, ...args].join(" ")}' failed or could not be run.`);
  } finally {
    process.off("SIGINT", ignore);
  }
}
