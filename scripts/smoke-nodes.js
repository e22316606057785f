/**
 * `npm run smoke`: the smoke test with every Node that is supported. Their programs come from npm, once, into
 * node_modules/.cache; where npm has none for this machine, only the Node that runs this is tried.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const majors = [20, 22, 24, 26];
const root = fileURLToPath(new URL("..", import.meta.url));
const inherit = { cwd: root, stdio: "inherit" };

execFileSync(process.execPath, ["scripts/build.js"], inherit);
for (const node of process.platform === "linux" ? majors.map(nodeOf) : [process.execPath]) {
  execFileSync(node, ["--import", "tsx", "scripts/smoke.ts"], inherit);
}

function nodeOf(major) {
  const folder = `${root}node_modules/.cache/nodes/${major}`;
  const name = `node-linux-${process.arch}`;
  const program = `${folder}/node_modules/${name}/bin/node`;
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder];
    execFileSync("npm", ["install", ...options, `${name}@${major}`], inherit);
  }
  return program;
}
