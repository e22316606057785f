/** The commands as data, for help, completion and documentation. */
import type { Argument, Command, Option } from "commander";

export interface CommandNode {
  /** As typed: `keys create`; empty for the program itself. */
  path: string;
  command: Command;
  subcommands: readonly CommandNode[];
  options: readonly Option[];
  arguments: readonly Argument[];
}

/** All but hidden ones. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  // Each group has a command `help` of its own, besides the one of the program.
  const subcommands = help
    .visibleCommands(command)
    .filter((sub) => path.length === 0 || sub.name() !== "help");
  return {
    path: path.join(" "),
    command,
    subcommands: subcommands.map((sub) => commandTree(sub, [...path, sub.name()])),
    options: help.visibleOptions(command),
    arguments: command.registeredArguments,
  };
}

/** The node and all below it, in the order of `--help`. */
export const flatten = (node: CommandNode): CommandNode[] => [node, ...node.subcommands.flatMap(flatten)];

/** What `--help` prints. */
export function helpText(command: Command, layout: { columns?: number } = {}): string {
  let text = "";
  const before = { ...command.configureOutput() };
  command.configureOutput({
    writeOut: (part) => void (text += part),
    ...(layout.columns === undefined
      ? {}
      : { getOutHelpWidth: () => layout.columns ?? 80, getOutHasColors: () => false }),
  });
  command.outputHelp();
  command.configureOutput(before);
  return text;
}
