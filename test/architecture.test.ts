import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Imports point one way: main → cli → app → {http, engines, models, store} → core → protocol. The leaves of
 * the same rank never import one another, and three rules of privacy and isolation hang on single files.
 */
const mayImport: Record<string, readonly string[]> = {
  main: ["cli", "config"],
  // The preflight of engines on the network is asked for by hand, too.
  cli: [
    "app",
    "engines",
    "config",
    "log",
    "mail",
    "models",
    "open-files",
    "store",
    "core",
    "protocol",
    "cli",
  ],
  // The composition root, in three files.
  "engine-builder": ["engines", "models", "core", "protocol", "config", "log"],
  "start-engines": ["engine-builder", "engines", "models", "core", "protocol", "config", "log"],
  app: [
    "start-engines",
    "http",
    "engines",
    "models",
    "store",
    "core",
    "protocol",
    "config",
    "log",
    "mail",
    "metrics",
    "tracing",
    "open-files",
  ],
  http: ["core", "protocol", "config", "log", "metrics", "tracing", "http"],
  engines: ["core", "protocol", "config", "engines"],
  models: ["core", "protocol", "config", "models"],
  store: ["core", "protocol", "config", "store"],
  core: ["protocol", "core"],
  config: ["protocol", "config"],
  log: ["protocol"],
  metrics: ["protocol"],
  tracing: ["protocol"],
  mail: ["core"],
  "open-files": [],
  protocol: ["protocol"],
};

interface SourceFile {
  path: string;
  place: string;
  text: string;
  imports: string[];
}

const files: SourceFile[] = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => {
    const path = join("src", name);
    const text = readFileSync(path, "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    return { path, place: placeOf(path), text, imports };
  });

describe("architecture", () => {
  it("has files to look at", () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it.each(files.map((file) => [file.path, file] as const))(
    "%s imports only what its place may",
    (_, file) => {
      const wrong = file.imports
        .filter((name) => name.startsWith("."))
        .map((name) => normalize(join(dirname(file.path), name)))
        .filter((target) => !(mayImport[file.place] ?? []).includes(placeOf(target)));
      expect(wrong).toEqual([]);
    },
  );

  it("reads the environment in one place", () => {
    // main.ts hands the environment over; config.ts reads it. The engine's child passes a minimal one on.
    expect(filesWith(/process\.env/)).toEqual(["src/engines/llama/host/llama-engine.ts", "src/main.ts"]);
  });

  it("loads native code of the engine in the child process only", () => {
    const importers = files.filter(({ imports }) =>
      imports.some((name) => name.startsWith("node-llama-cpp")),
    );
    expect(importers.map(({ path }) => path)).toEqual(["src/engines/llama/worker/addon.ts"]);
    const importersOfAddon = files.filter((file) => file.imports.some((name) => name.endsWith("/addon.js")));
    // The second is the whole of a process, too.
    const processes = ["src/engines/llama/worker/runner.ts", "src/engines/llama/gpu/probe-child.ts"];
    expect(importersOfAddon.map(({ path }) => path).sort()).toEqual(processes.sort());
  });

  it("writes logs through the allowlist only", () => {
    expect(filesWith(/from "pino"/)).toEqual(["src/log.ts"]);
    const printing = filesWith(/console\.|process\.(stdout|stderr)\b/).filter(
      (path) => !path.startsWith("src/cli/"),
    );
    expect(printing).toEqual(["src/main.ts"].filter((path) => printing.includes(path)));
  });
});

/** The folder below src, or the file's own name for those directly in it. */
function placeOf(path: string): string {
  const [, first = ""] = path.split("/");
  return first.replace(/\.[jt]s$/, "");
}

function filesWith(pattern: RegExp): string[] {
  return files
    .filter((file) => pattern.test(file.text))
    .map((file) => file.path)
    .sort();
}
