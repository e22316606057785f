/**
 * How every command comes to its configuration. The environment enters the program in `main.ts` alone and
 * waits beside the root command; a command asks with `readSettings` and gets the whole, validated
 * configuration with its own flags on top.
 */
import type { Command } from "commander";
import { loadConfig, type Config, type ConfigSources } from "../config.js";

const environments = new WeakMap<Command, ConfigSources["env"]>();

/** Hands the environment to the commands of this program. */
export function provideEnvironment(program: Command, env: ConfigSources["env"]): void {
  environments.set(program, env);
}

/** `--data-dir` and `--config`, which every command takes. */
export function settingsOptions(command: Command): Command {
  return command
    .option("--data-dir <dir>", "folder of the database and the models (SOTTO_DATA_DIR, default ./data)")
    .option("--config <file>", "YAML or JSON file with settings");
}

/** Throws `ConfigError` with every error. `flags` are values by their environment name. */
export function readSettings(command: Command, flags: ConfigSources["flags"] = {}): Config {
  const { dataDir, config } = command.opts<{ dataDir?: string; config?: string }>();
  return loadConfig({
    env: environmentOf(command),
    file: config,
    flags: { SOTTO_DATA_DIR: dataDir, ...flags },
  });
}

/** The variables of other programs, which are no settings of ours: where a client keeps its files. */
export function environmentOf(command: Command): ConfigSources["env"] {
  return environments.get(rootOf(command)) ?? {};
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
