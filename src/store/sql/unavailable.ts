/**
 * Which database errors are temporary: it is unreachable, too slow, out of space, or read-only. They become
 * `StoreUnavailable`, which callers can handle; every other error is a bug and is rethrown as it is.
 */
import { StoreUnavailable } from "../../core/store.js";

export type OnUnavailable = ((error: StoreUnavailable) => void) | undefined;

/** Translates an error for callers of a store. `onUnavailable` is called with those that are temporary. */
export function asStoreError(error: unknown, onUnavailable?: OnUnavailable): unknown {
  if (!(error instanceof Error) || !isTemporary(error)) return error;
  const unavailable = new StoreUnavailable(withCode(error));
  onUnavailable?.(unavailable);
  return unavailable;
}

/** The driver's own errors have no code, and the log shows nothing else. */
function withCode(error: Error): Error {
  if ("code" in error) return error;
  return Object.assign(error, { code: /timeout/i.test(error.message) ? "ETIMEDOUT" : "ECONNRESET" });
}

function isTemporary(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("SQLITE_")) return sqliteCodes.some((name) => code.startsWith(name));
  if (/^[0-9A-Z]{5}$/.test(code) && !systemCode.test(code))
    return sqlStates.some((state) => code.startsWith(state));
  // What the connection itself reports has the system's code, or none and one of these messages.
  return systemCode.test(code) || connectionError.test(error.message);
}

/** With what SQLite appends to them, such as SQLITE_IOERR_FSYNC. */
const sqliteCodes = [
  "SQLITE_FULL",
  "SQLITE_IOERR",
  "SQLITE_READONLY",
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_CANTOPEN",
  "SQLITE_NOMEM",
];

/** Of Postgres, whole or as a class. */
const sqlStates = [
  "08", // connection
  "25006", // this server only reads
  "28", // who may connect: a password that is being changed must not look like a bug
  "40001", // serialization failure
  "40P01", // deadlock
  "53", // disk full, out of memory, too many connections
  "55P03", // waited too long for a lock
  "57", // shutting down, starting up, took too long
  "58", // the server's disk
];

const systemCode =
  /^(E[A-Z]{3,}|EAI_[A-Z]+|ERR_(SSL|TLS|SOCKET)_\w+|(UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO)\w*)$/;

const connectionError =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|The server does not support SSL)/;
