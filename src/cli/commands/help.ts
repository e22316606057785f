/** `sotto help`: one command's help, or all of it on one page. */
import type { Command } from "commander";
import { UserError } from "../../core/user-error.js";
import { commandTree, flatten, helpText } from "../command-tree.js";
import { answers, exitCodes, type ExitCode } from "../exit-codes.js";
import { paint, typed } from "../terminal.js";

export function helpCommand(program: Command): void {
  program
    .command("help [command...]")
    .description("show how a command is used, or all of them")
    .option("--all", "all commands with their options, and the exit codes")
    .action((words: string[], { all }: { all?: boolean }) => {
      if (all === true) console.log(typed(everything(program)));
      else find(program, words).outputHelp();
    });
}

function find(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find((one) => one.name() === word);
    if (found === undefined)
      throw new UserError(
        `There is no command 'sotto ${words.join(" ")}'. 'sotto help --all' shows all of them.`,
      );
    return found;
  }, program);
}

function everything(program: Command): string {
  const pages = flatten(commandTree(program)).map(
    ({ path, command }) =>
      `${paint("bold", `sotto ${path}`.trim().toUpperCase())}\n\n${helpText(command).trim()}`,
  );
  return [...pages, `${paint("bold", "EXIT CODES")}\n\n${exitCodesText()}`].join("\n\n\n");
}

function exitCodesText(): string {
  const lines = (codes: readonly ExitCode[]) => codes.map(({ code, meaning }) => `  ${code}  ${meaning}`);
  return [
    ...lines(exitCodes),
    ...Object.entries(answers).flatMap(([command, codes]) => ["", `sotto ${command}:`, ...lines(codes)]),
  ].join("\n");
}
