/**
 * How this program was started and whether its streams show colours, found out once, in `main.ts`. Until then, and in
 * tests, it is `sotto` without colours. All messages are written with `sotto …`; `typed` turns that into what works
 * here.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { styleText } from "node:util";
import type { Environment } from "./environment.js";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
type Stream = "stdout" | "stderr";

export interface Started {
  /** Of this script, as Node has it in `argv`. */
  script: string;
  nodePath: string;
  folder: string;
  env: Environment;
}

const terminal = { name: "sotto", colours: { stdout: false, stderr: false } };

export function provideTerminal(started: Started, isTerminal: Record<Stream, boolean>): void {
  terminal.name = programName(started);
  terminal.colours = {
    stdout: showsColours(started.env, isTerminal.stdout),
    stderr: showsColours(started.env, isTerminal.stderr),
  };
}

/** What to type for `sotto` where this process was started: `npx sotto`, `npm run sotto --`, `node bin/sotto.js`. */
export function programName({ script, nodePath, folder, env }: Started): string {
  // Both run the script by its path, and tell it so.
  if (env["npm_command"] === "exec") return `npx ${npxPackage(script)}`;
  if (env["npm_lifecycle_event"] === "sotto") return "npm run sotto --";
  // Installed as a command, whose path stays as it was called: a link to the script.
  if (basename(script, ".cmd") === "sotto") return isOnPath(dirname(script), env) ? "sotto" : quoted(script);
  const node = isOnPath(dirname(nodePath), env) ? "node" : quoted(nodePath);
  const shorter = relative(folder, script);
  return `${node} ${quoted(shorter.startsWith(`..${sep}..`) ? script : shorter)}`;
}

/** What npx was asked for, where it installed that into its cache: a package's name or a file. Otherwise our command. */
function npxPackage(script: string): string {
  const [, cache = ""] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(script) ?? [];
  try {
    const { _npx } = JSON.parse(readFileSync(join(cache, "package.json"), "utf8")) as {
      _npx: { packages: [string] };
    };
    const [asked] = _npx.packages;
    // The path of a file alone would be run as a command.
    return asked.endsWith(".tgz") ? `--package=${quoted(asked)} sotto` : quoted(asked);
  } catch {
    return "sotto";
  }
}

/** The commands in a text as they can be typed here. */
export function typed(text: string): string {
  if (terminal.name === "sotto") return text;
  return text.replace(commandPattern, (_, before: string) => before + terminal.name);
}

/** A command's name or a placeholder follows; paths, addresses and `npx sotto` are left alone. */
const commandPattern =
  /(^|[\s'"`(|])(?<!npx )(?<!run )sotto(?= (?:\[|<|--?\w|(?:accounts|apply|backup|changelog|chat|completion|connect|doctor|engine|export|help|keys|maintenance|models|open|plans|privacy|proof|serve|service|store|teams|top|upgrade|verify)\b))/gm;

/** The text in a style where `stream` shows it, plain elsewhere. */
export const paint = (style: Style | Style[], text: string, stream: Stream = "stdout"): string =>
  terminal.colours[stream] ? styleText(style, text, { validateStream: false }) : text;

export const hasColours = (stream: Stream): boolean => terminal.colours[stream];

/** NO_COLOR and FORCE_COLOR as https://no-color.org and Node have them: the second takes precedence. */
export function showsColours(env: Environment, isTerminal: boolean): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  return isTerminal && env["TERM"] !== "dumb";
}

const isOnPath = (folder: string, env: Environment): boolean =>
  (env["PATH"] ?? env["Path"] ?? "")
    .split(process.platform === "win32" ? ";" : ":")
    .some((one) => one !== "" && resolve(one) === resolve(folder));

const quoted = (path: string): string => (/^[\w./\\:@+-]+$/.test(path) ? path : JSON.stringify(path));
