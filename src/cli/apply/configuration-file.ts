/** The file as it was written: its content, and where in it each thing is. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { UserError } from "../../core/user-error.js";
import type { Environment } from "../environment.js";
import { type Fields, isFields } from "./sections/fields.js";
import type { Path } from "./sections/section.js";
import { isSecretPlace, MissingSecret, Secret } from "./sections/secret.js";

const maxFileLength = 1024 * 1024;
const longestSecret = 1_000;

export class FileProblems extends UserError {
  constructor(problems: readonly string[]) {
    super(
      `The file has ${problems.length === 1 ? "an error" : `${problems.length} errors`}. Nothing was changed.\n${problems.join("\n")}`,
    );
    this.name = "FileProblems";
  }
}

export class ConfigurationFile {
  private constructor(
    private readonly name: string,
    private readonly document: Document,
    private readonly lines: LineCounter,
    /** Its sections; secrets in place of their references. */
    readonly content: Fields,
  ) {}

  /** `-` is standard input. Throws `FileProblems`. */
  static async read(path: string, env: Environment): Promise<ConfigurationFile> {
    const text = path === "-" ? await readInput() : await readText(path);
    const name = path === "-" ? "(standard input)" : path;
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const problems = document.errors.map(
      ({ message, pos: [at] }) => `${name}:${placeText(lines, at)}: ${message}`,
    );
    if (problems.length > 0) throw new FileProblems(problems);
    const given = contentOf(document, name);
    if (!isFields(given)) throw new FileProblems([`${name}:1:1: Write sections, such as plans.`]);
    const folder = path === "-" ? "." : dirname(path);
    const content = await withSecrets(given, [], { env, folder });
    return new ConfigurationFile(name, document, lines, isFields(content) ? content : {});
  }

  /** A line for people: where it is, what it is called, and what is wrong. */
  describe(path: Path, message: string): string {
    return `${this.name}:${placeText(this.lines, this.#offsetOf(path))}: ${path.map(String).join(".")}: ${message}`;
  }

  /** Of the name that a path ends with, or of the closest thing around it. */
  #offsetOf(path: Path): number {
    let node: unknown = this.document.contents;
    let found: unknown = node;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.document);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) break;
        [found, node] = [pair.key, pair.value];
      } else if (isSeq(node) && node.items[Number(step)] !== undefined) {
        found = node = node.items[Number(step)];
      } else break;
    }
    return isNode(found) ? offsetOf(found) : 0;
  }
}

/** Throws for references to nothing, and for more of them than a file needs. */
function contentOf(document: Document, name: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new FileProblems([`${name}:1:1: ${error instanceof Error ? error.message : "It cannot be read."}`]);
  }
}

const offsetOf = ({ range }: Node): number => range?.[0] ?? 0;

function placeText(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}`;
}

async function readText(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new UserError(`${path} cannot be read (${code}).`);
  });
  return withinLength(text);
}

async function readInput(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text = withinLength(text + String(chunk));
  return text;
}

function withinLength(text: string): string {
  if (text.length <= maxFileLength) return text;
  throw new UserError(`The file is longer than ${maxFileLength} characters.`);
}

interface SecretSources {
  env: Environment;
  /** What files of secrets are relative to. */
  folder: string;
}

async function withSecrets(value: unknown, path: Path, sources: SecretSources): Promise<unknown> {
  if (isSecretPlace(path)) return resolveSecret(value, sources);
  if (Array.isArray(value))
    return Promise.all(value.map((item, at) => withSecrets(item, [...path, at], sources)));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(
    async ([name, field]) => [name, await withSecrets(field, [...path, name], sources)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Anything but a reference stays as it is, and is refused later. */
async function resolveSecret(given: unknown, { env, folder }: SecretSources): Promise<unknown> {
  if (!isFields(given) || Object.keys(given).length !== 1) return given;
  if (typeof given.env === "string") return secretOf(env[given.env], `the variable ${given.env}`);
  if (typeof given.file !== "string") return given;
  const text = await readFile(resolve(folder, given.file), "utf8").catch(() => undefined);
  return secretOf(text, `the file ${given.file}`);
}

function secretOf(text: string | undefined, what: string): Secret | MissingSecret {
  const value = text?.trim() ?? "";
  if (value === "") return new MissingSecret(`${what} is ${text === undefined ? "not there" : "empty"}`);
  const isPlain = value.length <= longestSecret && !/\p{Cc}/u.test(value);
  return isPlain
    ? new Secret(value)
    : new MissingSecret(`${what} is not one line of at most ${longestSecret} characters`);
}
