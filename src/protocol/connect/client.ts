/**
 * How a client of the API is told about this service: what is known of the service (the target), and what comes out
 * of it for one client (its configuration). Everything here is data and pure functions: the command line prints it and
 * writes it into files, the dashboard shows it.
 */
import type { ModelId } from "../../core/models.js";

export interface ConnectTarget {
  /** Where the service is: `https://chat.example.com`, without a slash at the end. */
  origin: string;
  /** Null: `keyPlaceholder` stands in for it, or the variable that the client reads it from. */
  key: string | null;
  /** The one to use by default. */
  model: ModelId;
  /** All that are to be offered, where a client has a list of them. */
  models: readonly ConnectModel[];
  /** Only code differs: the applications choose for themselves. */
  stream: boolean;
}

export interface ConnectModel {
  id: ModelId;
  /** Tokens of prompt and reply together. */
  contextTokens: number;
  /** The most that clients should ask for in one reply. */
  outputTokens: number;
}

export type ClientGroup = "Libraries" | "Coding agents" | "Editors" | "Applications and gateways";

export interface ConnectClient {
  /** In addresses and on the command line: `claude-code`. */
  id: string;
  name: string;
  group: ClientGroup;
  /** Which of the service's APIs it calls. */
  api: "Chat Completions" | "Responses" | "Messages";
  /** What its configuration was checked against, and how. */
  checked: { version: string; how: CheckedHow; source: string };
  /** Whether its code differs with `stream`. */
  streams?: boolean;
  configure: (target: ConnectTarget) => ConfigPart[];
}

/** `run`: the program itself was started with it and called the service. */
export type CheckedHow = "run" | "source" | "documentation";

export type ConfigPart = ConfigFile | ConfigCode | ConfigFields | ConfigNote;

/** A file of the client's own, of which these settings are a part. */
export interface ConfigFile {
  type: "file";
  /** Null where the client has no fixed place for it: the user says which file. */
  place: FilePlace | null;
  /** What it is called in texts: `~/.codex/config.toml`, `librechat.yaml`. */
  name: string;
  format: FileFormat;
  settings: readonly Setting[];
}

export type FileFormat = "json" | "toml" | "yaml" | "env";

/** Below the home directory, or below the folder that the client's own variable names. */
export interface FilePlace {
  variable?: string;
  /** What `variable` stands for when it is not set, by platform where that differs; below the home directory. */
  folder: string | { linux: string; darwin: string; win32: string };
  file: string;
}

export interface ConfigCode {
  type: "code";
  title: string;
  language: "bash" | "python" | "javascript" | "go";
  text: string;
}

/** What to type into a form of the client. */
export interface ConfigFields {
  type: "fields";
  title: string;
  rows: readonly { label: string; value: string }[];
}

export interface ConfigNote {
  type: "note";
  text: string;
}

export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

/** One value in a file and the way to it. Whatever else the file has stays as it is. */
export interface Setting {
  path: readonly PathStep[];
  value: Value;
  /** The user's own value stays: what a new file needs, such as the version of its format. */
  onlyIfAbsent?: true;
}

/** A key of an object, or the item of a list that has this value. */
export type PathStep = string | { readonly key: string; readonly equals: string };

export const keyPlaceholder = "YOUR_SOTTO_API_KEY";
export const keyVariable = "SOTTO_API_KEY";

/** As clients that append `/chat/completions` or `/responses` want it. */
export const baseUrl = ({ origin }: ConnectTarget): string => `${origin}/v1`;

export const keyText = ({ key }: ConnectTarget): string => key ?? keyPlaceholder;

/** The one in use. One that is not in the list has the assumed limits. */
export function modelOf({ model, models }: ConnectTarget): ConnectModel {
  return models.find(({ id }) => id === model) ?? { id: model, ...assumedLimits };
}

/** Where the service did not say: small enough for every engine. */
export const assumedLimits = { contextTokens: 8_192, outputTokens: 4_096 };

/**
 * Most clients take the output limit off the context to know how long a prompt may be. Without a limit in the plan the
 * service allows a reply as long as the context, which would leave no room for a prompt: they are told half.
 */
export function connectModel(
  id: ModelId,
  contextTokens: number | null,
  maxOutputTokens: number | null,
): ConnectModel {
  const context = contextTokens ?? assumedLimits.contextTokens;
  const half = Math.max(1, Math.floor(context / 2));
  return { id, contextTokens: context, outputTokens: Math.min(maxOutputTokens ?? half, half) };
}
