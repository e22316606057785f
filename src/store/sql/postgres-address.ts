/**
 * Parses a `postgres://` address, with TLS settings as libpq defines them: `sslmode=require` encrypts, `verify-ca`
 * checks the certificate's issuer too, `verify-full` also the host's name; `sslrootcert` names a file with
 * the issuer's certificate, with which `require` checks like `verify-ca`. The driver's own parser differs
 * between its versions.
 */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { PoolConfig } from "pg";
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
