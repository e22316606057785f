/** Whoever installs on the oldest Node that is supported must not be warned: every package has to run there. */
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { z } from "zod";
import { packagedPlatforms, platformWithoutEngine } from "../src/engines/llama/binding-package.js";
import { pinnedPackages } from "../src/engines/llama/gpu/library/pinned-packages.js";
import { loadProblem } from "../src/engines/llama/host/engine-causes.js";
import { noEngineFor } from "../src/engines/llama/worker/missing-library.js";

const withEngines = z
  .object({ engines: z.object({ node: z.string() }).partial().optional(), dev: z.boolean().optional() })
  .loose();
const lockSchema = z.object({ packages: z.record(z.string(), withEngines) });

const names = z.array(z.string()).optional();
const ofPlatforms = z.object({
  os: names,
  cpu: names,
  libc: names,
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  integrity: z.string().optional(),
});
const platformSchema = z.object({ packages: z.record(z.string(), ofPlatforms) });

const read = (name: string): unknown => JSON.parse(readFileSync(name, "utf8"));
const oldest = /^>=(\d+\.\d+)$/.exec(withEngines.parse(read("package.json")).engines?.node ?? "")?.[1] ?? "";

/** Says that it wants Node 22. It runs on the oldest one nevertheless, and only the tests of clients use it. */
const aiSdk7 = /^node_modules\/(?:ai-v7|ai-openai-v4|ai-anthropic-v4)(?:\/|$)/;

it("has no package that the oldest supported Node cannot run", () => {
  const { packages } = lockSchema.parse(read("package-lock.json"));
  const wanting = Object.entries(packages).flatMap(([name, { engines, dev }]) =>
    engines?.node !== undefined &&
    !satisfies(numbersOf(oldest), engines.node) &&
    !(dev === true && aiSdk7.test(name))
      ? [`${name} wants Node ${engines.node}`]
      : [],
  );
  expect(oldest).not.toBe("");
  expect(wanting).toEqual([]);
});

/** Where servers are: what is installed there is checked against the lockfile, not taken as it comes. */
it.each(["x64", "arm64"])("has a hash for every package that Linux on %s installs", (arch) => {
  const { packages } = platformSchema.parse(read("package-lock.json"));
  const installed = Object.entries(packages).filter(
    ([path, { os = ["linux"], cpu = [arch], libc = ["glibc"], link }]) =>
      path !== "" && link !== true && os.includes("linux") && cpu.includes(arch) && libc.includes("glibc"),
  );
  const isUnnamed = /musl|android|wasm|loong|riscv|ppc|s390x|armhf|gnueabihf/;
  const unhashed = installed.filter(
    ([path, { integrity }]) => integrity === undefined && !isUnnamed.test(path),
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(unhashed.map(([path]) => path)).toEqual([]);
});

it("has a hash for every package of production, on every platform", () => {
  const { packages } = platformSchema.parse(read("package-lock.json"));
  const unhashed = Object.entries(packages).filter(
    ([path, { link, dev, integrity }]) =>
      path !== "" && link !== true && dev !== true && integrity === undefined,
  );
  expect(unhashed.map(([path]) => path)).toEqual([]);
});

/** Builds the pages' styles, on systems where nobody has built them yet; the registry did not have them. */
const unhashedBuildTools = [
  ...["android-arm64", "darwin-arm64", "darwin-x64", "freebsd-x64", "linux-arm-gnueabihf"],
  ...["wasm32-wasi", "win32-arm64-msvc", "win32-x64-msvc"],
].map((platform) => `node_modules/@tailwindcss/oxide-${platform}`);

it.each([
  ["package-lock.json", unhashedBuildTools],
  ["scripts/release/tools/package-lock.json", []],
])("has no other package without a hash in %s", (file, known) => {
  const { packages } = platformSchema.parse(read(file));
  const unhashed = Object.entries(packages).filter(
    ([path, { link, integrity }]) => path !== "" && link !== true && integrity === undefined,
  );
  expect(unhashed.map(([path]) => path)).toEqual(known);
});

it("knows for which platforms it comes with an engine", () => {
  const { packages } = platformSchema.parse(read("package-lock.json"));
  const names = Object.keys(packages).flatMap((path) => /@node-llama-cpp\/(\w+-\w+)$/.exec(path)?.[1] ?? []);
  expect([...packagedPlatforms]).toEqual(names);
  expect(platformWithoutEngine("linux-x64")).toBeNull();
  expect(platformWithoutEngine("mac-arm64")).toBe("mac-arm64");
  expect(loadProblem(noEngineFor("mac-arm64"))).toMatchObject({
    cause: "PLATFORM_UNSUPPORTED",
    text: expect.stringContaining("Use an engine on the network") as string,
  });
});

it("downloads packages of the engine with the hashes of the lockfile", () => {
  const { packages } = platformSchema.parse(read("package-lock.json"));
  expect(pinnedPackages).toEqual(
    Object.fromEntries(
      Object.keys(pinnedPackages).map((name) => [name, packages[`node_modules/${name}`]?.integrity]),
    ),
  );
  const forGpus = Object.keys(packages).flatMap(
    (path) => /@node-llama-cpp\/.*(cuda|vulkan).*$/.exec(path)?.[0] ?? [],
  );
  expect(Object.keys(pinnedPackages).sort()).toEqual([...forGpus, "node-llama-cpp"].sort());
});

it.each([
  [">=22", false],
  ["^18.18.0 || ^20.9.0 || >=21.1.0", true],
  [">= 20.19.0", true],
  ["^20.20 || >=22", false],
  [">=18 <20", false],
  ["18.x || 20.x", true],
  ["*", true],
])("reads the range %s", (range, isIn) => {
  expect(satisfies([20, 19, 0], range)).toBe(isIn);
});

type Version = readonly number[];

/** As much of npm's ranges as packages write about Node. */
function satisfies(version: Version, range: string): boolean {
  return range.split("||").some((part) => {
    const comparators = part
      .replace(/(>=|<=|>|<|\^|~|=)\s+/g, "$1")
      .trim()
      .split(/\s+/);
    return comparators.every((comparator) => matches(version, comparator));
  });
}

function matches(version: Version, comparator: string): boolean {
  const [, operator = "", text = ""] = /^(>=|<=|>|<|\^|~|=)?v?(.*)$/.exec(comparator) ?? [];
  if (text === "" || /^[*x]/i.test(text)) return true;
  const wanted = numbersOf(text);
  const order = compare(version, wanted);
  switch (operator) {
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case "<":
      return order < 0;
    case "~":
      return order >= 0 && version[0] === wanted[0] && version[1] === wanted[1];
    // A caret, or a major version alone.
    default:
      return order >= 0 && version[0] === wanted[0];
  }
}

const numbersOf = (text: string): Version => text.split(".").map((part) => Number.parseInt(part, 10) || 0);

function compare(a: Version, b: Version): number {
  for (const index of [0, 1, 2]) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What a start loads whether or not it is used; the others are loaded when they are needed. */
it.each([
  ["--version", ["src/main.ts"], ["commander"]],
  [
    "keys list",
    ["src/cli/commands/keys.ts", "src/store/open-store.ts"],
    ["commander", "kysely", "libsql", "zod"],
  ],
  [
    "serve",
    ["src/cli/serve/serve.ts", "src/app/app.ts"],
    ["commander", "fastify", "kysely", "libsql", "prom-client", "zod"],
  ],
])("sotto %s loads few packages", async (_command, entryPoints, expected) => {
  const { metafile } = await build({
    entryPoints: ["src/main.ts", ...entryPoints],
    ...{ outdir: "unused", write: false, metafile: true },
    ...{ bundle: true, splitting: true, format: "esm", platform: "node", packages: "external" },
  });
  const files = Object.entries(metafile.outputs);
  const reached = new Set(
    files.filter(([, { entryPoint = "" }]) => ["src/main.ts", ...entryPoints].includes(entryPoint)),
  );
  const loaded = new Set<string>();
  for (const [, { imports }] of reached)
    for (const { path, kind, external } of imports) {
      if (kind !== "import-statement") continue;
      if (external === true) loaded.add(path);
      else for (const file of files) if (file[0] === path) reached.add(file);
    }
  expect([...loaded].filter((name) => !isBuiltin(name)).sort()).toEqual(expected);
});
