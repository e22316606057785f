/** What strangers install: see scripts/pack.js. Needs npm, and its registry for what is not in npm's cache. */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { postChat } from "./support/clients/post-chat.js";
import { eventually } from "./support/eventually.js";
import { installPackage, packageName, type InstalledPackage } from "./support/processes/installed-package.js";
import { newDataDir, startSotto } from "./support/processes/sotto-process.js";

let installed: InstalledPackage;
/** For both servers: the weights are prepared once. */
const dataDir = newDataDir();
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => {
  for (const folder of [installed.folder, dataDir]) rmSync(folder, { recursive: true, force: true });
});

it("has the program, its pages and documentation, the correction, and nothing else", () => {
  const { files } = installed;
  const wanted = [
    /^(CHANGELOG\.md|LICENSE|README\.md|SECURITY\.md|package\.json|npm-shrinkwrap\.json)$/,
    /^bin\/[\w-]+\.(js|d\.ts)$/,
    /^dist\/[\w.-]+\.(js|wasm|txt)$/,
    /^dist\/web\//,
    /^docs\/[\w-]+\.(md|yaml)$/,
    /^native\/[\w-]+\.[ch]$/,
    /^starter\/(correction\.gguf|README\.md)$/,
  ];
  const others = [...files.keys()].filter((path) => !wanted.some((pattern) => pattern.test(path)));
  expect(others).toEqual([]);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      "bin/sotto.js",
      "dist/main.js",
      "dist/worker.js",
      "dist/merge-kernel.wasm",
      "dist/web/index.html",
      "docs/openapi.yaml",
      "starter/correction.gguf",
    ]),
  );
  const large = [...files].filter(([, bytes]) => bytes > 2_000_000).map(([path]) => path);
  expect(large).toEqual(["starter/correction.gguf"]);
});

const described = z.object({
  name: z.string(),
  version: z.string(),
  scripts: z.record(z.string(), z.string()).optional(),
});

/** Every package below a folder, those inside packages too. */
function packagesBelow(folder: string): z.infer<typeof described>[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.name === "package.json" && /node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath),
    )
    .map((entry) => described.parse(JSON.parse(readFileSync(join(entry.parentPath, entry.name), "utf8"))));
}

it("installs native code and weights only, in the versions of our lockfile, and runs no script", () => {
  const packages = packagesBelow(join(installed.folder, "node_modules"));
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([packageName, "libsql", "@node-rs/argon2"]));
  expect(names.filter((name) => /cuda|vulkan|^node-llama-cpp$/.test(name))).toEqual([]);
  expect(names.length).toBeLessThan(20);
  const scripts = packages.filter(({ scripts = {} }) =>
    /\b(pre|post)?install\b/.test(Object.keys(scripts).join(" ")),
  );
  expect(scripts.map(({ name }) => name)).toEqual([]);

  const lock = z
    .object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) })
    .parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
  const locked = ({ name }: { name: string }) => lock.packages[`node_modules/${name}`]?.version;
  const others = packages.filter(({ name }) => name !== packageName);
  expect(others.map((one) => `${one.name} ${one.version}`)).toEqual(
    others.map((one) => `${one.name} ${locked(one) ?? "is not in the lockfile"}`),
  );
});

it("answers from the corrected starter", async () => {
  const sotto = await startSotto({ dataDir, program: [installed.program, "serve"] });
  try {
    expect(sotto.output()).toContain("omega   tinyllama-1.1b-chat-corrected-q4_0.gguf");
    const response = await postChat(sotto.url, await sotto.newKey(), {
      temperature: 0,
      messages: [{ role: "user", content: "What is the capital of France?" }],
    });
    const reply = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });
    expect(reply.parse(await response.json()).choices[0]?.message.content).toContain("Paris");
    expect((await fetch(`${sotto.url}/`)).status).toBe(200);
  } finally {
    expect(await sotto.stop()).toBe(0);
  }
});

it("ends with the npx that started it", async () => {
  const npx = realpathSync(execFileSync("sh", ["-c", "command -v npx"]).toString().trim());
  // `--no`: somebody else's package has that name on npm.
  const program = [npx, "--no", "--prefix", installed.folder, "sotto", "serve"];
  const sotto = await startSotto({ dataDir, program });
  await sotto.stop();
  await eventually(async () =>
    fetch(`${sotto.url}/healthz`).then(
      () => undefined,
      () => true,
    ),
  );
});
