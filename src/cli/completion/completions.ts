/** What can follow at each place of a command line. */
import type { Option } from "commander";
import { flatten, type CommandNode } from "../command-tree.js";

export interface Word {
  text: string;
  description: string;
}

/** At one command: after `sotto keys create`, for example. */
export interface Completion {
  /** Each word of the command with a space before it; empty for the program itself. */
  at: string;
  /** Subcommands, or the values that the first argument can have. */
  words: readonly Word[];
  options: readonly (Word & { takesValue: boolean; values: readonly string[] })[];
}

export const completions = (root: CommandNode): Completion[] =>
  flatten(root).map(({ path, subcommands, arguments: [first], options }) => ({
    at: path === "" ? "" : ` ${path}`,
    words: [
      ...subcommands.map(({ command }) => ({ text: command.name(), description: command.description() })),
      ...(first?.argChoices ?? []).map((text) => ({ text, description: first?.description ?? "" })),
    ],
    options: options.flatMap((option) => (option.long == null ? [] : [describe(option, option.long)])),
  }));

const describe = ({ description, required, optional, argChoices = [] }: Option, text: string) => ({
  text,
  description,
  takesValue: required || optional,
  values: argChoices,
});
