/**
 * The configuration of API clients: from what is known of the service (the target) to the files, code and form fields
 * of one client. Data and pure functions only: the command line prints them and writes files, the dashboard shows
 * them.
 */
import type { ClientFamily } from "../core/client-family.js";
import type { ChatModelId } from "../core/models.js";

export interface ConnectTarget {
  /** Such as `https://chat.example.com`, without a trailing slash. */
  origin: string;
  /** Null: `keyPlaceholder` or the variable that the client reads it from is shown instead. */
  key: string | null;
  model: ChatModelId;
  /** For clients that have a list of models. */
  models: readonly ConnectModel[];
  /** For code only: applications decide for themselves. */
  stream: boolean;
}

export interface ConnectModel {
  id: ChatModelId;
  /** Tokens of prompt and reply together. */
  contextTokens: number;
  /** The largest `max_tokens` that clients should ask for. */
  outputTokens: number;
  /** The service does not report its context. */
  isAssumed: boolean;
  /** Whether it can call tools; absent where that is not known. */
  tools?: boolean;
}

export type ClientGroup = "Libraries" | "Coding agents" | "Editors and applications";

export interface ConnectClient {
  /** In addresses and on the command line: `claude-code`. */
  id: string;
  name: string;
  group: ClientGroup;
  api: "Chat Completions" | "Responses" | "Messages";
  /** What its configuration was checked against. `run`: the program itself called the service with it. */
  checked: { version: string; how: "run" | "source" | "documentation"; source: string };
  /** What it needs of a model to work at all (`fit.ts`); absent where any model will do. */
  needs?: { firstRequestTokens: number; leastContextTokens: number; tools: boolean };
  /** How its requests name it; absent where they name the library that it uses, or nothing of use. */
  family?: ClientFamily;
  /** Whether its code depends on `stream`. */
  streams?: boolean;
  configure: (target: ConnectTarget) => ConfigPart[];
}

export type ConfigPart =
  | ConfigFile
  | { type: "code"; title: string; language: "bash" | "python" | "javascript" | "go"; text: string }
  /** What to enter into a form of the client. */
  | { type: "fields"; title: string; rows: readonly { label: string; value: string }[] }
  | { type: "note"; text: string };

/** These settings are a part of a file of the client's own. */
export interface ConfigFile {
  type: "file";
  /** Below `folder` of the home directory, or below the directory that the client's own variable names. */
  place: { variable?: string; folder: string; file: string };
  /** As people know it: `~/.codex/config.toml`. */
  name: string;
  format: FileFormat;
  settings: readonly Setting[];
}

export type FileFormat = "json" | "toml" | "yaml";

export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

export interface Setting {
  path: readonly PathStep[];
  value: Value;
  /** For what a new file needs, such as the version of its format. */
  onlyIfAbsent?: true;
}

/** A key of an object, or the item of a list whose `key` has this value. */
export type PathStep = string | { readonly key: string; readonly equals: string };

export const keyPlaceholder = "YOUR_SOTTO_API_KEY";
export const keyVariable = "SOTTO_API_KEY";

/** For clients that append `/chat/completions` or `/responses`. */
export const baseUrl = ({ origin }: ConnectTarget): string => `${origin}/v1`;

export const keyText = ({ key }: ConnectTarget): string => key ?? keyPlaceholder;

/** The default model, with the assumed limits where it is not in the list. */
export function modelOf({ model, models }: ConnectTarget): ConnectModel {
  return models.find(({ id }) => id === model) ?? { id: model, ...assumedLimits, isAssumed: true };
}

/** Where the service does not report them: small enough for every engine. */
export const assumedLimits = { contextTokens: 8_192, outputTokens: 4_096 };

/**
 * Most clients subtract the output limit from the context to get the longest prompt. Where the plan sets no limit, a
 * reply may be as long as the context, which would leave no room for a prompt: such clients get half of it as the
 * limit.
 */
export function connectModel(
  id: ChatModelId,
  contextTokens: number | null,
  maxOutputTokens: number | null,
  tools?: boolean,
): ConnectModel {
  const context = contextTokens ?? assumedLimits.contextTokens;
  const half = Math.max(1, Math.floor(context / 2));
  return {
    id,
    contextTokens: context,
    outputTokens: Math.min(maxOutputTokens ?? half, half),
    isAssumed: contextTokens === null,
    ...(tools === undefined ? {} : { tools }),
  };
}
