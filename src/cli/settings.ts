/** How every command gets its configuration: whole and validated, with the command's own flags on top. */
import type { Command } from "commander";
import { loadConfig, type Config, type ConfigSources } from "../config.js";
import { hostInUrl } from "../config/host-in-url.js";
import { environmentOf } from "./environment.js";

/** `--data-dir` and `--config`, which every command takes. */
export function settingsOptions<C extends Command>(command: C): C {
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

/** Where people reach the service: the configured address, or this machine. */
export const serviceUrl = ({ accounts, service }: Config): string => accounts.publicUrl ?? listenUrl(service);

/** Where the server of this machine listens. */
export const listenUrl = ({ host, port, tlsCert }: Config["service"]): string =>
  `${tlsCert === undefined ? "http" : "https"}://${hostInUrl(host)}:${port}`;
