/**
 * `npm run release [-- --out <folder>] [--key <file>]` makes everything of a release out of a clean checkout: the npm
 * package, its licences, a bill of materials, and a list of hashes, signed with an Ed25519 key where one is given.
 * The same commit gives the same bytes, wherever it is checked out, with the same versions of Node and npm.
 */
import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, sign } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { licensesText } from "./licenses.js";
import { billOfMaterials } from "./sbom.js";
import { readLock, shippedPackages } from "./shipped.js";

const { values: options } = parseArgs({
  options: { out: { type: "string", default: "release" }, key: { type: "string" } },
});
const root = resolve(import.meta.dirname, "../..");
const out = resolve(options.out);
process.chdir(root);
// Modes of files are part of the package.
process.umask(0o022);

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { stdio: ["ignore", "pipe", "inherit"] }).toString();
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const { name, version } = z
  .object({ name: z.string(), version: z.string() })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

if (run("git", "status", "--porcelain").trim() !== "")
  throw new Error("The checkout has changes. A release is made from a commit.");

rmSync("dist", { recursive: true, force: true });
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
run(process.execPath, "scripts/build.js");

const lock = readLock("package-lock.json");
const packed = mkdtempSync(join(tmpdir(), "sotto-release-"));
try {
  // What is published says what is installed with it, and the licences of that are in the package.
  run(process.execPath, "scripts/pack.js", "--built", "--folder-only", packed);
  const shipped = shippedPackages(join(packed, "package/package.json"), lock);
  writeFileSync("dist/third-party-licenses.txt", licensesText(shipped, lock));
  run(process.execPath, "scripts/pack.js", "--built", packed);
  const [tarball] = readdirSync(packed).filter((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("Nothing was packed.");
  cpSync(join(packed, tarball), join(out, tarball));
  cpSync("dist/third-party-licenses.txt", join(out, "third-party-licenses.txt"));
  writeFileSync(join(out, `${basename(tarball, ".tgz")}.cdx.json`), billOfMaterials(shipped, lock));
  writeFileSync(join(out, "release.json"), describeBuild(tarball));
} finally {
  rmSync(packed, { recursive: true, force: true });
}

const names = readdirSync(out).sort();
const sums = names.map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`).join("");
writeFileSync(join(out, "SHA256SUMS"), sums);
if (options.key !== undefined) {
  const key = createPrivateKey(readFileSync(options.key));
  if (key.asymmetricKeyType !== "ed25519") throw new Error("The key must be an Ed25519 key in PEM.");
  writeFileSync(join(out, "SHA256SUMS.sig"), sign(null, Buffer.from(sums), key));
}
console.log(`${sums}\n${out}`);

/** What the bytes depend on besides the commit: Node's compression, in the package's pages and of the package itself. */
function describeBuild(tarball: string): string {
  const archive = gunzipSync(readFileSync(join(out, tarball)));
  const facts = {
    name,
    version,
    commit: run("git", "rev-parse", "HEAD").trim(),
    committedAt: run("git", "show", "--no-patch", "--format=%cI", "HEAD").trim(),
    node: process.version,
    npm: run("npm", "--version").trim(),
    archiveSha256: sha256(archive),
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}
