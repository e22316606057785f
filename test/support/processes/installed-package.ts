/** The npm package as its users get it: packed from this build, and installed by npm into an empty folder. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const { name: packageName } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string };

export interface InstalledPackage {
  folder: string;
  tarball: string;
  /** Files in the tarball, from the package's own folder, with their bytes. */
  files: ReadonlyMap<string, number>;
  /** What `sotto` starts. */
  program: string;
}

/** Takes packages from `cache`, by default the user's own, and from the network what is not there. */
export function installPackage(cache?: string): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "sotto-package-"));
  const output = join(folder, "packed");
  execFileSync(process.execPath, ["scripts/pack.js", "--built", output], { stdio: "ignore" });
  const name = readdirSync(output).find((one) => one.endsWith(".tgz")) ?? "";
  const tarball = join(output, name);
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  execFileSync("npm", ["install", ...options, ...(cache === undefined ? [] : ["--cache", cache]), tarball], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return {
    folder,
    tarball,
    files: filesIn(tarball),
    program: join(folder, "node_modules", packageName, "bin/sotto.js"),
  };
}

function filesIn(tarball: string): Map<string, number> {
  const list = execFileSync("tar", ["-tvzf", tarball], { maxBuffer: 16 * 1024 * 1024 }).toString();
  return new Map(
    [...list.matchAll(/^\S+ +\S+ +(\d+) .* package\/(\S+)$/gm)].map(([, bytes, path = ""]) => [
      path,
      Number(bytes),
    ]),
  );
}
