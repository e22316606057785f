import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/core/store.js";
import { connectPostgres } from "../../../src/store/sql/postgres.js";
import { eventually } from "../../support/eventually.js";
import { createOpenFolder } from "../../support/processes/run-folder.js";
import { sharedPostgres } from "../../support/stores/postgres.js";

const noOpenssl = spawnSync("openssl", ["version"]).status !== 0;
if (noOpenssl) {
  console.error(
    "\n!!! SKIPPED: there is no openssl on this machine to create a certificate. TLS to Postgres was not tested.\n",
  );
}

describe.skipIf(noOpenssl)("a connection to Postgres", () => {
  let folder: string;
  let port: number;

  beforeAll(async () => {
    const server = await sharedPostgres();
    port = server.port;
    folder = createOpenFolder("sotto-tls-");
    const [certificate, key] = [join(folder, "server.crt"), join(folder, "server.key")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    const { uid, gid } = statSync(server.dataDir);
    for (const path of [certificate, key]) chownSync(path, uid, gid);
    chmodSync(key, 0o600);
    await server.query(`alter system set ssl_cert_file = '${certificate}'`);
    await server.query(`alter system set ssl_key_file = '${key}'`);
    await server.query("alter system set ssl = on");
    await server.query("select pg_reload_conf()");
    await eventually(() => isEncrypted("localhost", "sslmode=require").catch(() => false));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const isEncrypted = async (host: string, mode: string): Promise<boolean> => {
    const db = connectPostgres(`postgres://postgres:password@${host}:${port}/postgres?${mode}`, { max: 1 });
    try {
      const { rows } = await sql<{
        ssl: boolean;
      }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
      return rows[0]?.ssl === true;
    } finally {
      await db.destroy();
    }
  };

  it("is encrypted when sslmode asks for it, and plain when it does not", async () => {
    expect(await isEncrypted("localhost", "")).toBe(false);
    expect(await isEncrypted("localhost", "sslmode=require")).toBe(true);
  });

  it("is refused if the certificate's issuer is unknown", async () => {
    for (const mode of ["verify-ca", "verify-full"]) {
      await expect(isEncrypted("localhost", `sslmode=${mode}`)).rejects.toBeInstanceOf(StoreUnavailable);
    }
  });

  it("is established when the issuer is named; verify-full requires the host name too", async () => {
    const issuer = `sslrootcert=${join(folder, "server.crt")}`;
    expect(await isEncrypted("localhost", `sslmode=verify-full&${issuer}`)).toBe(true);
    expect(await isEncrypted("127.0.0.1", `sslmode=verify-ca&${issuer}`)).toBe(true);
    await expect(isEncrypted("127.0.0.1", `sslmode=verify-full&${issuer}`)).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
  });
});
