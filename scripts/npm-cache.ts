import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of a package that is too large for a dependency: installed once into node_modules/.cache. */
export function cachedPackage(name: string, version: string): string {
  const folder = fileURLToPath(
    new URL(`../node_modules/.cache/packages/${name}/${version}`, import.meta.url),
  );
  const installed = `${folder}/node_modules`;
  if (!existsSync(`${installed}/${name}`)) {
    mkdirSync(folder, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["install", ...options, "--prefix", folder, `${name}@${version}`], {
      stdio: "inherit",
    });
  }
  return installed;
}
