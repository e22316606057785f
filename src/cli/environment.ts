/** The environment enters the program in `main.ts` only and is kept beside the root command for the others. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Command } from "commander";

export type Environment = Readonly<Record<string, string | undefined>>;

const environments = new WeakMap<Command, Environment>();

/** Hands the environment to the commands of this program. */
export function provideEnvironment(program: Command, env: Environment): void {
  environments.set(program, env);
}

export function environmentOf(command: Command): Environment {
  return environments.get(rootOf(command)) ?? {};
}

/** Whether it is in one of the folders of PATH. */
export const hasProgram = (env: Environment, name: string): boolean =>
  (env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)));

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
