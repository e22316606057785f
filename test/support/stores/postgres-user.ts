import { spawnSync } from "node:child_process";
import { eventually } from "../eventually.js";

/** Postgres refuses to run as root. Test files start at the same time, and one of them creates the user. */
export async function ensurePostgresUser(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await eventually(() => {
    if (spawnSync("id", ["-u", "postgres"]).status === 0) return true;
    spawnSync("useradd", ["--system", "--user-group", "postgres"]);
    return false;
  }, 10_000);
}
