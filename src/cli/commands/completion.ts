/** `sotto completion`: what a shell needs to complete commands and options. Nothing is started at each Tab. */
import { Argument, type Option } from "commander";
import type { Command } from "../command.js";
import { type CommandNode, commandTree, flatten } from "../command-tree.js";

export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print the completion of commands and options for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(shells)))
    .notes(
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

/**
 * The same table of words in the language of each shell. Each script walks the words before the cursor and remembers the
 * command they make up; options and arguments between them are no part of it. Where nothing of ours fits, the shell
 * completes file names.
 */
const shells = { bash, zsh, fish } as const;
type Shell = keyof typeof shells;

/** Runs in bash 3.2, which macOS has. */
function bash(table: readonly Completion[]): string {
  const cases = table.map(({ at, words, options }) => {
    const [names, flags] = [words, options].map((list) => list.map(({ text }) => text).join(" "));
    return `    ${quoted(at)}) words=${quoted(names ?? "")} options=${quoted(flags ?? "")} ;;`;
  });
  return `_sotto() {
  local at="" word words="" options="" values="" i cur="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at $word" in
      ${patterns(table)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${optionsWithValue(table, (values) => `values=${quoted(values.join(" "))}; words=""; options=""`)}
  esac
  case "$cur" in
    -*) words="$options" ;;
    *) words="$words $values" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _sotto sotto`;
}

function zsh(table: readonly Completion[]): string {
  const list = (words: readonly Word[]) =>
    words.map(({ text, description }) => quoted(`${text}:${description}`)).join(" ");
  const cases = table.map(
    ({ at, words, options }) => `    ${quoted(at)}) names=(${list(words)}) options=(${list(options)}) ;;`,
  );
  return `#compdef sotto
_sotto() {
  local at="" word
  local -a names options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${patterns(table)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  case "$at \${words[CURRENT-1]}" in
${optionsWithValue(table, (values) => `names=(${values.map(quoted).join(" ")}); options=()`)}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif (( $#names )); then _describe command names
  else _files
  fi
}
if [[ $funcstack[1] == _sotto ]]; then _sotto "$@"; else compdef _sotto sotto; fi`;
}

function fish(table: readonly Completion[]): string {
  const lines = table.flatMap(({ at, words, options }) => {
    const when = `complete -c sotto -n ${quoted(`__sotto_at ${quoted(at)}`)}`;
    return [
      ...words.map(({ text, description }) => `${when} -f -a ${quoted(text)} -d ${quoted(description)}`),
      ...options.map(({ text, description, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : takesValue ? " -r" : "";
        return `${when} -l ${text.replace(/^--/, "")}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  const commands = table.filter(({ at }) => at !== "").map(({ at }) => quoted(at));
  return `function __sotto_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${commands.join(" ")}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}`;
}

const patterns = (table: readonly Completion[]): string =>
  table
    .filter(({ at }) => at !== "")
    .map(({ at }) => quoted(at))
    .join("|");

/** After an option that takes a value, only its values fit. */
function optionsWithValue(table: readonly Completion[], then: (values: readonly string[]) => string): string {
  return table
    .flatMap(({ at, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ text, values }) => `    ${quoted(`${at} ${text}`)}) ${then(values)} ;;`),
    )
    .join("\n");
}

/** All three read what is between single quotes as it is, but for the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type Completion = ReturnType<typeof completions>[number];

interface Word {
  text: string;
  description: string;
}

/** What can follow at each command: after `sotto keys create`, for example. */
const completions = (root: CommandNode) =>
  flatten(root).map(({ path, subcommands, arguments: [first], options }) => ({
    /** Each word of the command with a space before it; empty for the program itself. */
    at: path === "" ? "" : ` ${path}`,
    /** Subcommands, or the values that the first argument can have. */
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
