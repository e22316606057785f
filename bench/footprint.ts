/**
 * What a first start of the npm package downloads and keeps on the disk, and how long it takes: packed from this build,
 * installed by npm with an empty cache into an empty folder, then one reply. The README quotes it.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installPackage } from "../test/support/processes/installed-package.js";
import { startSotto } from "../test/support/processes/sotto-process.js";

export async function benchFootprint(): Promise<void> {
  const startedMs = performance.now();
  const cache = `${process.cwd()}/node_modules/.cache/footprint`;
  rmSync(cache, { recursive: true, force: true });
  const { folder, program, tarball } = installPackage(cache);
  const installedMs = performance.now();
  try {
    const sotto = await startSotto({ program: [program, "serve"] });
    const readyMs = performance.now();
    const response = await fetch(`${sotto.baseURL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${await sotto.newKey()}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "omega", messages: [{ role: "user", content: "Name a colour." }] }),
    });
    await response.text();
    const repliedMs = performance.now();
    await sotto.stop();
    // npm keeps every tarball that it fetched.
    print("downloaded", bytesBelow(join(cache, "_cacache", "content-v2")));
    print("  of which the package itself", bytesBelow(tarball));
    print("installed", bytesBelow(join(folder, "node_modules")));
    print("data directory after the first start", bytesBelow(sotto.dataDir));
    console.log(
      `${"installed, ready, first reply after".padEnd(40)}${[installedMs, readyMs, repliedMs].map((ms) => `${((ms - startedMs) / 1000).toFixed(0)} s`).join(", ")}`,
    );
    rmSync(sotto.dataDir, { recursive: true, force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(cache, { recursive: true, force: true });
  }
}

const print = (what: string, bytes: number) => {
  console.log(`${what.padEnd(40)}${(bytes / 1e6).toFixed(0)} MB`);
};

/** Of a file, or of all files below a folder. */
function bytesBelow(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}
