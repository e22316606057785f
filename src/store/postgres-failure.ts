/** Why Postgres is unusable, for the operator: the cause with its code, and how to fix it. */
import { StoreUnavailable } from "../core/store.js";
import { postgresAddress } from "./sql/postgres-address.js";
import { StoreError } from "./store-error.js";

/** As one error for the operator, without the password. */
export function cannotOpenPostgres(url: string, error: unknown): StoreError {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const where = `The database ${placeOf(url)} cannot be opened`;
  const known = explanations.find(([codes]) => codes.test(code));
  if (known !== undefined) return new StoreError(`${where}: ${known[1]} (${code})`, known[2]);
  const reason = cause instanceof Error ? cause.message : "unknown error";
  const shown = code === "" ? reason : `${reason} (${code})`;
  return new StoreError(
    `${where}: ${shown}`,
    "Check SOTTO_DATABASE_URL, that the server runs and that this user may create tables there.",
  );
}

/** The database and its server. */
export function placeOf(url: string): string {
  const { host, port, database } = postgresAddress(url);
  return `${database ?? ""} on ${host ?? "localhost"}:${port ?? 5432}`;
}

const explanations: readonly (readonly [codes: RegExp, reason: string, next: string])[] = [
  [
    /^28P01$/,
    "the server refused the user name or password",
    "Correct them in SOTTO_DATABASE_URL, or set the password there: ALTER ROLE … PASSWORD '…'.",
  ],
  [
    /^28/,
    "the server does not let this user connect from here",
    "Check the user in SOTTO_DATABASE_URL, and pg_hba.conf on the server.",
  ],
  [
    /^3D000$/,
    "there is no such database",
    "Create it with CREATE DATABASE, or correct its name in SOTTO_DATABASE_URL.",
  ],
  [
    /^42501$/,
    "this user has no permission there",
    "Let the user own the schema, or grant it: GRANT USAGE, CREATE ON SCHEMA … TO ….",
  ],
  [
    /^53300$/,
    "the server has no connection left",
    "Raise its max_connections, or lower SOTTO_DATABASE_POOL_SIZE.",
  ],
  [/^53100$/, "the disk of the server is full", "Make room on it."],
  [/^25006$/, "the server is read-only", "Point SOTTO_DATABASE_URL to the primary."],
  [/^57P03$/, "the server is starting up or shutting down", "Wait until it has started, then try again."],
  [
    /^(ENOTFOUND|EAI_\w+)$/,
    "the name of the server cannot be resolved",
    "Correct the host in SOTTO_DATABASE_URL, or check the name server of this machine.",
  ],
  [
    /^(ECONN\w+|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/,
    "the server cannot be reached",
    "Check the host and port in SOTTO_DATABASE_URL, that the server runs, and that this machine may connect to it.",
  ],
  [
    /^(UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ERR_SSL_)/,
    "the certificate of the server is not trusted",
    "Name the certificate of its issuer with sslrootcert in SOTTO_DATABASE_URL, and connect under the name it was issued for.",
  ],
];
