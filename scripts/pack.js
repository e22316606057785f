/**
 * `node scripts/pack.js [--built] [--folder-only] [folder]` makes the npm package out of a checkout: a folder and a
 * tarball of it, below pack/ unless another place is named. `--built` takes dist/ as it is, `--folder-only` makes no
 * tarball. `npx` runs the tarball on a machine without the repository. The program is bundled, so the package depends
 * only on what cannot be: native code, which npm chooses by platform, and the starter's weights. It has no install
 * scripts. npm-shrinkwrap.json pins every package below it by the hash in our lockfile, for whoever installs it from a
 * registry: npm does not read it in a file.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildAll, native } from "./build.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const output = resolve(given.find((one) => !one.startsWith("--")) ?? `${root}/pack`);
const folder = `${output}/package`;
const readJson = (path) => JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
const project = readJson("package.json");
const { packages: locked } = readJson("package-lock.json");

/** The engine's CPU libraries. Those for GPUs are several times as large: `sotto engine install` gets them. */
const cpuLibraries = ["@node-llama-cpp/linux-x64", "@node-llama-cpp/linux-arm64"];

const contents = [
  "bin",
  "dist",
  "docs",
  "native",
  "starter/correction.gguf",
  "starter/README.md",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
];
/**
 * A stamp of the build, programs that tests build beside it, maps to sources that are not there, the engine's extension,
 * which is compiled for one platform by whichever compiler was there, and what only the repository's pages show.
 */
const isLeftOut = (path) => /\.(map|node)$|\/dist\/(\.built|.*\.mjs)$|\/docs\/(images|decisions)$/.test(path);

const versionOf = (name) => locked[`node_modules/${name}`].version;
const pinned = (names) => Object.fromEntries([...names].sort().map((name) => [name, versionOf(name)]));

const { name, version, description, license, type, engines, bin } = project;
const manifest = {
  ...{ name, version, description, license, type, engines, bin },
  dependencies: pinned(native),
  optionalDependencies: pinned([...cpuLibraries, ...Object.keys(project.optionalDependencies)]),
  publishConfig: { access: "public" },
};

/** The lockfile's part for this package: everything that can be reached from it, on any platform. */
function shrinkwrap() {
  const { dependencies, optionalDependencies } = manifest;
  const reached = {};
  const reach = (from, names) => {
    for (const one of names) {
      const path = placeOf(one, from);
      // A peer that nobody installed.
      if (path === undefined || path in reached) continue;
      const entry = locked[path];
      if (entry.integrity === undefined) throw new Error(`${path} has no hash in the lockfile.`);
      reached[path] = entry;
      reach(path, Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }));
    }
  };
  reach("", Object.keys({ ...dependencies, ...optionalDependencies }));
  const sorted = Object.fromEntries(Object.entries(reached).sort(([a], [b]) => (a < b ? -1 : 1)));
  const self = { name, version, license, dependencies, optionalDependencies, bin, engines };
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": self, ...sorted } };
}

/** As Node looks for it: beside the package that wants it, then further out. */
function placeOf(wanted, from) {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${wanted}`;
  if (path in locked) return path;
  return from === "" ? undefined : placeOf(wanted, from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ""));
}

if (!given.includes("--built")) await buildAll();
rmSync(folder, { recursive: true, force: true });
for (const path of contents) {
  mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
  cpSync(`${root}/${path}`, `${folder}/${path}`, { recursive: true, filter: (from) => !isLeftOut(from) });
}
for (const [file, value] of [
  ["package.json", manifest],
  ["npm-shrinkwrap.json", shrinkwrap()],
])
  writeFileSync(`${folder}/${file}`, `${JSON.stringify(value, null, 2)}\n`);

if (!given.includes("--folder-only")) makeTarball();

function makeTarball() {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", folder, "--json", "--pack-destination", output], {
      stdio: ["ignore", "pipe", "inherit"],
    }).toString(),
  );
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const tarball = `${output}/${packed.filename.replace("@", "").replace("/", "-")}`;
  console.log(
    `${tarball}\n${packed.files.length} files, ${megabytes(statSync(tarball).size)} packed, ${megabytes(packed.unpackedSize)} unpacked`,
  );
}
