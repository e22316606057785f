import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Imports point one way: main → cli → app → {http, engines, models, store} → protocol → core. The leaves of
 * the same rank never import one another, and three rules of privacy and isolation hang on single files.
 */
const mayImport: Record<string, readonly string[]> = {
  main: ["cli", "config"],
  // The verifier alone, as a program of its own.
  verify: ["cli"],
  // The preflight of engines on the network is asked for by hand, too.
  cli: [
    "adapters",
    "app",
    "engines",
    "config",
    "log",
    "models",
    "store",
    "core",
    "protocol",
    "connect",
    "cli",
    // In bin/, since the build shows the same display before there is a built program.
    "start-progress",
  ],
  // The composition root.
  app: [
    "adapters",
    "http",
    "engines",
    "models",
    "store",
    "core",
    "protocol",
    "config",
    "log",
    "metrics",
    "app",
  ],
  http: ["adapters", "core", "protocol", "config", "log", "metrics", "http"],
  engines: ["adapters", "core", "protocol", "config", "engines"],
  models: ["adapters", "core", "protocol", "config", "models"],
  store: ["adapters", "core", "protocol", "config", "store"],
  // Technology that no layer owns.
  adapters: ["core", "adapters"],
  protocol: ["core", "protocol"],
  core: ["core"],
  config: ["core", "protocol", "config"],
  log: ["adapters", "core"],
  metrics: ["core", "metrics"],
  // Configurations of clients, for the command line and the dashboard.
  connect: ["core", "protocol", "connect"],
};

interface SourceFile {
  path: string;
  place: string;
  text: string;
  imports: string[];
}

const files = sourceFiles("src");
const pages = sourceFiles("web");

describe("architecture", () => {
  it("has files to look at", () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it("allows each file only the imports of its layer", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((name) => name.startsWith("."))
        .map((name) => normalize(join(dirname(file.path), name)))
        .filter((target) => !(mayImport[file.place] ?? []).includes(placeOf(target)))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("reads the environment in one place", () => {
    // main.ts and verify.ts hand the environment over; config.ts reads it. The engine's child passes a minimal one on.
    expect(filesWith(/process\.env/)).toEqual([
      "src/engines/llama/child-environment.ts",
      "src/main.ts",
      "src/verify.ts",
    ]);
  });

  it("creates folders in one place, which is why no file system keeps it trying", () => {
    expect(filesWith(/\bmkdir(Sync)?\(/)).toEqual(["src/adapters/make-folder.ts"]);
  });

  it("keeps apart what runs in the engine's process and what runs in the API's", () => {
    const worker = "src/engines/llama/worker/";
    const host = ["src/engines/llama/host/", "src/engines/llama/gpu/"];
    const importersOfWorker = files.filter((file) => importsFrom(file, [worker]));
    expect(importersOfWorker.map(({ path }) => path).filter((path) => !path.startsWith(worker))).toEqual([]);
    const workers = files.filter(({ path }) => path.startsWith(worker));
    expect(workers.filter((file) => importsFrom(file, host)).map(({ path }) => path)).toEqual([]);
    const formats = files.filter(({ path }) =>
      ["src/engines/structured-output/", "src/engines/chat-format/"].some((folder) =>
        path.startsWith(folder),
      ),
    );
    expect(formats.length).toBeGreaterThan(5);
    const engines = ["src/engines/llama/", "src/engines/upstream/", "src/engines/pool/"];
    expect(formats.filter((file) => importsFrom(file, engines)).map(({ path }) => path)).toEqual([]);
    const chatFormat = formats.filter(({ path }) => path.startsWith("src/engines/chat-format/"));
    const upwards = chatFormat.filter((file) => importsFrom(file, ["src/engines/structured-output/"]));
    expect(upwards.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ["src", files],
    ["web", pages],
  ])("has no import circle in %s", (_, sources) => {
    expect(circlesIn(sources)).toEqual([]);
  });

  it("has no import circle between sibling folders, at any depth", () => {
    expect(folderCirclesIn(files)).toEqual([]);
  });

  it("keeps files directly in core below its folders", () => {
    const directlyInCore = files.filter(({ path }) => dirname(path) === "src/core");
    expect(directlyInCore.length).toBeGreaterThan(5);
    const upward = directlyInCore.flatMap((file) =>
      targetsOf(file)
        .filter((target) => /^src\/core\/[^/]+\//.test(target))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it("names no two files dashboard or engine", () => {
    const named = [...files, ...pages].filter(({ path }) =>
      /^(dashboard|engine)\.tsx?$/.test(basename(path)),
    );
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it("has every file that its documents name", () => {
    const documents = readdirSync(".").filter((name) => name.endsWith(".md"));
    const all = [...documents, ...filesDirectlyIn("docs"), ...filesDirectlyIn("docs/decisions")];
    const missing = all.flatMap((document) => {
      const named = readFileSync(document, "utf8").matchAll(
        /(?<![\w./-])((?:src|web|test|bench|scripts|deploy|docs|starter|bin)\/[\w./-]*[\w/])/g,
      );
      return [...named]
        .map((match) => match[1] ?? "")
        .filter((path) => !existsSync(path))
        .map((path) => `${document} names ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it("has every file that ARCHITECTURE.md names by the folder it has just named", () => {
    const rows = readFileSync("ARCHITECTURE.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("|"));
    const missing = rows.flatMap((row) => {
      const names = [...row.matchAll(/`([\w./-]+\.(?:tsx?|wat|css))`/g)].map((match) => match[1] ?? "");
      let folder = "";
      return names.filter((name) => {
        if (name.includes("/")) folder = dirname(name);
        return !existsSync(name.includes("/") ? name : join(folder, name));
      });
    });
    expect(missing).toEqual([]);
  });

  it("loads native code of the engine in the child process only", () => {
    const importers = files.filter(({ imports }) =>
      imports.some((name) => name.startsWith("node-llama-cpp")),
    );
    const vectorModel = "src/engines/llama/worker/vectors/vector-model.ts";
    expect(importers.map(({ path }) => path).sort()).toEqual([
      "src/engines/llama/worker/addon.ts",
      vectorModel,
    ]);
    const importersOfAddon = files.filter((file) => file.imports.some((name) => name.endsWith("/addon.js")));
    // The second is the whole of a process, too.
    const processes = [
      "src/engines/llama/worker/runner.ts",
      "src/engines/llama/worker/probe-child.ts",
      vectorModel,
    ];
    expect(importersOfAddon.map(({ path }) => path).sort()).toEqual(processes.sort());
  });

  it("writes logs through the allowlist only", () => {
    // The second one writes lines of the first in another way.
    expect(filesWith(/\/log-output\.js"/).sort()).toEqual(["src/cli/serve/log-lines.ts", "src/log.ts"]);
    expect(filesWith(/\bwriteSync\b/)).toEqual(["src/adapters/log-output.ts"]);
    const printing = filesWith(/console\.|process\.(stdout|stderr)\b/).filter(
      (path) => !path.startsWith("src/cli/"),
    );
    expect(printing.filter((path) => path !== "src/main.ts" && path !== "src/verify.ts")).toEqual([]);
  });
});

function sourceFiles(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.test|\.d)\.tsx?$/.test(name))
    .map((name) => {
      const path = join(root, name);
      const text = readFileSync(path, "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
      return { path, place: placeOf(path), text, imports };
    });
}

/** The files of the project that a file imports, types included. */
function targetsOf({ path, imports }: SourceFile): string[] {
  return imports
    .filter((name) => name.startsWith("."))
    .map((name) => normalize(join(dirname(path), name)))
    .flatMap((target) => [target, target.replace(/\.js$/, ".ts"), target.replace(/\.js$/, ".tsx")])
    .filter((target) => /\.tsx?$/.test(target) && existsSync(target));
}

function importsFrom(file: SourceFile, places: readonly string[]): boolean {
  return targetsOf(file).some((target) => places.some((place) => target.startsWith(place)));
}

/** By depth-first search: an import of a file that is still open closes a circle. */
function circlesIn(sources: readonly SourceFile[]): string[][] {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const circles: string[][] = [];
  const visit = (path: string, open: readonly string[]): void => {
    const start = open.indexOf(path);
    if (start >= 0) circles.push(open.slice(start));
    const file = byPath.get(path);
    if (seen.has(path) || file === undefined) return;
    seen.add(path);
    for (const target of targetsOf(file)) visit(target, [...open, path]);
  };
  for (const { path } of sources) visit(path, []);
  return circles;
}

/**
 * Groups of children of one folder that import one another in a circle, each child with all that is below it:
 * "src/models: files, gguf".
 */
function folderCirclesIn(sources: readonly SourceFile[]): string[] {
  /** By parent folder: which of its children imports which. */
  const importsByParent = new Map<string, Map<string, Set<string>>>();
  for (const file of sources) {
    for (const target of targetsOf(file)) {
      const [from, to] = [file.path.split("/"), target.split("/")];
      const depth = from.findIndex((part, index) => part !== to[index]);
      const [child = "", imported = ""] = [from[depth], to[depth]];
      // A file beside folders is no folder.
      if (depth < 0 || depth === from.length - 1 || depth === to.length - 1) continue;
      const parent = from.slice(0, depth).join("/");
      const imports = importsByParent.get(parent) ?? new Map<string, Set<string>>();
      importsByParent.set(parent, imports.set(child, (imports.get(child) ?? new Set()).add(imported)));
    }
  }
  const circles = [...importsByParent].flatMap(([parent, imports]) => {
    const reached = new Map([...imports.keys()].map((child) => [child, reachableFrom(child, imports)]));
    return [...reached]
      .filter(([child, reachable]) => reachable.has(child))
      .map(([child, reachable]) => {
        const together = [...reachable].filter((other) => reached.get(other)?.has(child) === true);
        return `${parent}: ${together.sort().join(", ")}`;
      });
  });
  return [...new Set(circles)].sort();
}

function reachableFrom(start: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const target of imports.get(next) ?? []) {
      if (seen.has(target)) continue;
      seen.add(target);
      open.push(target);
    }
  }
  return seen;
}

function filesDirectlyIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.name));
}

/** The folder below src, or the file's own name for those directly in it. */
function placeOf(path: string): string {
  const [, first = ""] = path.split("/");
  return first.replace(/\.[jt]s$/, "");
}

/** Code that is shown to people is text: in these files it stands in template strings. */
const samples = ["src/connect/code-clients.ts"];

function filesWith(pattern: RegExp): string[] {
  return files
    .filter(({ path, text }) => pattern.test(samples.includes(path) ? text.replaceAll(/`[^`]*`/g, "") : text))
    .map((file) => file.path)
    .sort();
}
