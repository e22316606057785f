/**
 * Why Redis is unusable, and what an operator can do about it. A Redis that refuses commands (a missing password, no
 * memory left, a replica) is distinguished from one that is unreachable: the remedies differ.
 */

export interface RedisFailure {
  kind: "unreachable" | "refusing";
  /** The system's error code, or the prefix of the error that Redis answered with. */
  cause: string;
}

/** A command timed out. */
export class NoAnswer extends Error {
  readonly code = "ETIMEDOUT";

  constructor() {
    super("Redis did not answer in time.");
    this.name = "NoAnswer";
  }
}

/** The connection ended without an error. */
export const connectionClosed: RedisFailure = { kind: "unreachable", cause: "ECONNRESET" };

/** Null when the error says nothing about Redis, such as "the stream is not writable". */
export function failureOf(error: unknown): RedisFailure | null {
  if (!(error instanceof Error)) return null;
  if (error.name === "ReplyError") return { kind: "refusing", cause: prefixOf(error.message) };
  const code = "code" in error ? String(error.code) : "";
  return /^[A-Z][A-Z0-9_]+$/.test(code) ? { kind: "unreachable", cause: code } : null;
}

/** For the operator: without the password in the address. */
export function explainFailure(url: string, { kind, cause }: RedisFailure): { reason: string; next: string } {
  const where = `Redis at ${new URL(url).host}`;
  if (kind === "unreachable") {
    return {
      reason: `${where} cannot be reached (${cause})`,
      next: "Check SOTTO_REDIS_URL, that Redis runs, and that this machine may connect to it.",
    };
  }
  const [reason, next] = refusals[cause] ?? ["refuses commands", "See the log of Redis for the cause."];
  return { reason: `${where} ${reason} (${cause})`, next };
}

/** For a start without Redis. */
export function startNotice(url = "", failure: RedisFailure): string {
  const { reason, next } = explainFailure(url, failure);
  return `${reason}. ${next} Starting without it: this server admits its share of every limit until Redis can be used.`;
}

const clusterNode = [
  "is a node of a cluster",
  "Use a Redis without cluster mode: a single primary is enough.",
] as const;

const refusals: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  NOAUTH: ["requires a password", "Put it into SOTTO_REDIS_URL: redis://:password@host:6379/0."],
  WRONGPASS: [
    "refused the user name or password",
    "Correct them in SOTTO_REDIS_URL: redis://user:password@host:6379/0.",
  ],
  NOPERM: [
    "does not allow this user a command that is needed",
    "Allow its user '+@all ~sotto:* &sotto:*' in the ACL of Redis.",
  ],
  OOM: ["has no memory left for writes", "Raise its maxmemory, or free memory there."],
  READONLY: ["is a read-only replica", "Point SOTTO_REDIS_URL to the primary."],
  LOADING: ["is still loading its data", "Wait: it is tried again several times a second."],
  MISCONF: [
    "accepts no writes, since it cannot save to its disk",
    "Make room on the disk of Redis, or switch saving off there (save '').",
  ],
  MASTERDOWN: ["is a replica whose primary is down", "Point SOTTO_REDIS_URL to the primary."],
  MOVED: clusterNode,
  CLUSTERDOWN: clusterNode,
};

/** Redis 6 wraps the error of a command in a script: "ERR Error running script …: -OOM command not …". */
function prefixOf(message: string): string {
  const [, wrapped] = /^ERR Error running script.*?: -?([A-Z]{2,})\b/.exec(message) ?? [];
  if (wrapped !== undefined) return wrapped;
  if (message.includes("invalid password")) return "WRONGPASS";
  return /^[A-Z0-9_]{2,40}/.exec(message)?.[0] ?? "ERR";
}
