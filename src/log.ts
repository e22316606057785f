/**
 * Log lines are built here and nowhere else, from fields of a closed list. Each field has a check that its
 * value is of the expected kind; a value that fails it is dropped rather than printed. There is no way to
 * log free text, so what a user sends has no path into a log, at any level.
 *
 * An unexpected error is reported by its class and the places it passed through. Its message is left out:
 * messages of libraries quote their input (JSON.parse does).
 */
import { type LogOutput, standardErrorOutput } from "./adapters/log-output.js";
import { withSourcePlaces } from "./adapters/source-places.js";
import { errorTable } from "./core/errors.js";
import { modelIds } from "./core/models.js";

/** A value as JSON; undefined for one that is not of the kind that belongs there. */
type Field = (value: unknown) => string | undefined;

/** A code that a system, a library or a server gives to a kind of error. Too short and too plain for content. */
const causePattern = /^[A-Z0-9_]{2,40}$/;

/** Times are measured in fractions of nanoseconds, which nobody reads. */
const number: Field = (value) =>
  typeof value === "number" && Number.isFinite(value) ? String(Math.round(value * 1000) / 1000) : undefined;
const truth: Field = (value) => (typeof value === "boolean" ? String(value) : undefined);
const text =
  (pattern: RegExp): Field =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? JSON.stringify(value) : undefined;
/** Of characters that JSON does not escape, which is not looked for again. */
const word =
  (pattern: RegExp): Field =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? `"${value}"` : undefined;
const oneOf = (...allowed: string[]): Field => {
  const known = new Map<unknown, string>(allowed.map((name) => [name, JSON.stringify(name)]));
  return (value) => known.get(value);
};

const id = word(/^[A-Za-z0-9_-]{1,64}$/);

/** Everything a line may carry. */
const fields = {
  requestId: id,
  account: id,
  key: id,
  model: oneOf(...modelIds),
  method: oneOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"),
  /** The route as written in the route table, never the path that was asked for. */
  route: word(/^[a-z0-9/_:.*{}-]{1,80}$/i),
  status: number,
  code: oneOf(...Object.keys(errorTable)),
  /** Why a dependency fails: an errno, a SQLSTATE, the prefix of a Redis error, the HTTP status of an upstream. */
  cause: word(causePattern),
  outcome: oneOf("finished", "failed", "hung_up"),
  stream: truth,
  promptTokens: number,
  completionTokens: number,
  queuedMs: number,
  firstTokenMs: number,
  durationMs: number,
  pid: number,
  port: number,
  threads: number,
  sequences: number,
  contextTokens: number,
  gpu: oneOf("cpu", "cuda", "vulkan", "metal"),
  fallback: oneOf("cpu", "cuda", "vulkan", "metal"),
  gpuFailure: word(/^[a-z_]{1,24}$/),
  /** Words of a GPU's library from a process that had seen no request, known by how they begin. */
  gpuError: text(
    /^(CUDA error|ggml_\w+|vk::\w+|lib[\w.+-]+: cannot open|its process|no answer|no usable)[\x20-\x7e]{0,200}$/,
  ),
  gpuLayers: number,
  layers: number,
  cacheType: oneOf("f16", "q8_0", "q4_0"),
  memoryBytes: number,
  loadMs: number,
  tokenMs: number,
  delayMs: number,
  exitCode: number,
  exitSignal: word(/^SIG[A-Z0-9]{1,10}$/),
  /** Words of the engine from before it had loaded, and so before any request, known by how they begin. */
  loadError: text(
    /^(CUDA error|ggml_\w+|gguf_\w+|llama_\w+|GGML_ASSERT|vk::\w+|terminate called|lib[\w.+-]+: (cannot open|version)|Cannot find (module|package)|Loading took longer)[\x20-\x7e]{0,200}$/,
  ),
  /** An engine on the network, by host and port as the operator set them. */
  engine: word(/^[\w.:[\]-]{1,120}$/),
  restarts: number,
  count: number,
} satisfies Record<string, Field>;

/** By name, with what comes before the value. */
const byName = new Map<string, { label: string; read: Field }>(
  Object.entries(fields).map(([name, read]) => [name, { label: `,"${name}":`, read }]),
);

export type LogFields = { [Name in keyof typeof fields]?: string | number | boolean | null | undefined };

/** Everything a line can say. */
type LogMessage =
  | "request"
  | "listening"
  | "process ended, to be started again"
  | "owner of the processes unreachable"
  | "owner of the processes recovered"
  | "engine loaded"
  | "engine did not load"
  | "engine exited"
  | "engine killed by the system, probably out of memory"
  | "engine unloaded"
  | "engine restarting"
  | "engine reachable"
  | "engine unreachable"
  | "engine request failed"
  | "gpu not used"
  | "models changed"
  | "model not changed"
  | "database copied before it is migrated"
  | "database unavailable"
  | "database recovered"
  | "database query failed, to be tried again"
  | "redis unreachable"
  | "redis refuses commands: run 'sotto doctor'"
  | "redis recovered"
  | "secrets sealed under another service key"
  | "usage saved for the next start"
  | "usage lost"
  | "statement not renewed"
  | "entries of the statement log are missing"
  | "sign-in with an identity provider failed"
  | "certificate reloaded"
  | "certificate not reloaded: run 'sotto doctor'"
  | "webhook switched off: it keeps failing"
  | "events dropped: a webhook has too many deliveries"
  | "unexpected error";

export interface Log {
  debug(message: LogMessage, fields?: LogFields): void;
  info(message: LogMessage, fields?: LogFields): void;
  warn(message: LogMessage, fields?: LogFields): void;
  /** A bug: its class, its code and its stack, without the message. */
  unexpected(error: unknown, fields?: LogFields): void;
}

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity };

export function createLog(level: string, output: LogOutput = standardErrorOutput()): Log {
  const least = Object.entries(levels).find(([name]) => name === level)?.[1] ?? levels.info;
  const write = (at: keyof typeof levels, message: LogMessage, given?: LogFields, more?: object): void => {
    if (levels[at] < least) return;
    output.write(lineOf(levels[at], message, given, more));
    if (levels[at] >= levels.warn) output.flush?.();
  };
  return {
    debug: (message, given) => write("debug", message, given),
    info: (message, given) => write("info", message, given),
    warn: (message, given) => write("warn", message, given),
    unexpected: (error, given) => write("error", "unexpected error", given, describe(error)),
  };
}

/**
 * The code of an error or of what caused it, for the field `cause`; undefined where there is none. Of a message only
 * the prefix of a Redis reply is used, which the server chose and the pattern bounds.
 */
export function causeOf(error: unknown): string | undefined {
  let current = error;
  // A chain of causes may be a circle.
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const code = codeOf(current);
    if (code !== undefined && causePattern.test(code)) return code;
    current = current.cause ?? (current instanceof AggregateError ? current.errors[0] : undefined);
  }
  return undefined;
}

function codeOf(error: Error): string | undefined {
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error.name === "ReplyError") return error.message.split(" ", 1)[0];
  const status = "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status <= 599 ? `HTTP_${status}` : undefined;
}

/** One JSON object. Fields that are not on the list, or not what they should be, are left out. */
function lineOf(level: number, message: LogMessage, given: LogFields = {}, more: object = {}): string {
  let line = `{"level":${level},"time":"${timeNow()}"`;
  for (const name in given) {
    const value = given[name as keyof LogFields];
    const field = value === undefined ? undefined : byName.get(name);
    const json = field?.read(value);
    if (field !== undefined && json !== undefined) line += field.label + json;
  }
  for (const [name, value] of Object.entries(more)) line += `,"${name}":${JSON.stringify(value)}`;
  return `${line},"msg":"${message}"}\n`;
}

/** What the lines of one second have in common is written once: the date takes half the time of a line. */
let second = { at: -1, text: "" };

function timeNow(): string {
  const nowMs = Date.now();
  const at = Math.floor(nowMs / 1000);
  if (second.at !== at) second = { at, text: new Date(nowMs).toISOString().slice(0, -4) };
  return `${second.text}${String(nowMs - at * 1000).padStart(3, "0")}Z`;
}

function describe(error: unknown): { errorClass: string; cause?: string; at: string[] } {
  if (!(error instanceof Error)) return { errorClass: typeof error, at: [] };
  const cause = causeOf(error);
  // The message comes first in a stack. It is cut by length, not by pattern: its text may imitate a frame.
  const stack = error.stack ?? "";
  const messageAt = stack.indexOf(error.message);
  const frames = messageAt < 0 ? "" : stack.slice(messageAt + error.message.length);
  const at = frames.split("\n").filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  return {
    errorClass: error.constructor.name,
    ...(cause === undefined ? {} : { cause }),
    at: at.slice(0, 12).map((line) => withSourcePlaces(line.trim())),
  };
}
