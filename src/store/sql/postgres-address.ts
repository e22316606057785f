/**
 * Parses a `postgres://` address, with TLS settings as libpq defines them: `sslmode=require` encrypts, `verify-ca`
 * checks the certificate's issuer too, `verify-full` also the host's name; `sslrootcert` names a file with
 * the issuer's certificate, with which `require` checks like `verify-ca`. The driver's own parser differs
 * between its versions.
 */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { PoolConfig } from "pg";
import { StoreUnavailable } from "../../core/store.js";
import { StoreError } from "../store-error.js";

type Address = Pick<PoolConfig, "host" | "port" | "database" | "user" | "password" | "ssl" | "options">;

export function postgresAddress(text: string): Address {
  const url = new URL(text);
  const { searchParams } = url;
  const options = searchParams.get("options");
  return {
    // A socket's folder is written as `?host=/var/run/postgresql`.
    host:
      searchParams.get("host") ?? (decodeURIComponent(url.hostname).replace(/^\[|\]$/g, "") || "localhost"),
    port: url.port === "" ? 5432 : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ssl: tlsOf(searchParams.get("sslmode") ?? "disable", searchParams.get("sslrootcert")),
    ...(options === null ? {} : { options }),
  };
}

function tlsOf(mode: string, issuerFile: string | null): false | ConnectionOptions {
  const issuer = issuerFile === null ? {} : { ca: readIssuer(issuerFile) };
  switch (mode) {
    case "disable":
      return false;
    case "require":
      return issuerFile === null ? { rejectUnauthorized: false } : tlsOf("verify-ca", issuerFile);
    case "verify-ca":
      return { ...issuer, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case "verify-full":
      return { ...issuer, rejectUnauthorized: true };
    default:
      // "prefer" and "allow" would silently fall back to plain text.
      throw new StoreError(
        "The sslmode in SOTTO_DATABASE_URL must be disable, require, verify-ca or verify-full.",
      );
  }
}

function readIssuer(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new StoreError(
      `The certificate ${file}, named by sslrootcert in SOTTO_DATABASE_URL, cannot be read.`,
    );
  }
}

/** Why Postgres is unusable, for the operator: the cause with its code, and how to fix it; without the password. */
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
