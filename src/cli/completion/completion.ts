/** `sotto completion`: what a shell needs to complete commands and options. Nothing is started at each Tab. */
import { Argument, type Command } from "commander";
import { commandTree } from "../command-tree.js";
import { completions, shells, type Shell } from "./shells.js";

export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print the completion of commands and options for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(shells)))
    .addHelpText(
      "after",
      `
Print it again after an upgrade.

Examples:
  sotto completion bash > ~/.local/share/bash-completion/completions/sotto
  sotto completion zsh > "\${fpath[1]}/_sotto"
  sotto completion fish > ~/.config/fish/completions/sotto.fish`,
    )
    .action((shell: Shell) => {
      console.log(shells[shell](completions(commandTree(program))));
    });
}
