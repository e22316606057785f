/**
 * Which faults of a database mean "not now": it is away, too slow, out of room, or not to be written to.
 * Those become `StoreUnavailable`, which callers can answer; everything else is a bug and stays what it is.
 */
import { StoreUnavailable } from "../../core/ports.js";

/** The same fault, as callers of a store know it. */
export function asStoreError(error: unknown): unknown {
  return isPassing(error) ? new StoreUnavailable(error) : error;
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("SQLITE_")) return sqliteCodes.some((name) => code.startsWith(name));
  if (/^[0-9A-Z]{5}$/.test(code) && !systemCode.test(code))
    return sqlStates.some((state) => code.startsWith(state));
  // What the connection itself reports has the system's code, or none and one of these sentences.
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
  "40001", // two transactions in each other's way
  "40P01",
  "53", // disk full, out of memory, too many connections
  "55P03", // waited too long for a lock
  "57", // shutting down, starting up, took too long
  "58", // the server's disk
];

const systemCode =
  /^(E[A-Z]{3,}|EAI_[A-Z]+|ERR_(SSL|TLS|SOCKET)_\w+|(UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO)\w*)$/;

const connectionError =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|The server does not support SSL)/;
