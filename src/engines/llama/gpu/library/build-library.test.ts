import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindingSource, libraryFile } from "../../binding-package.js";
import { buildLibrary, type BuildOptions } from "./build-library.js";
import { librariesFolder, ownLibrary } from "./own-library.js";
import { runTool, ToolError, type ToolRun } from "./run-tool.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sotto-build-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Stands in for the tools; the build leaves a library behind unless told otherwise. */
function tools(cards: string, builds = true) {
  const commands: string[][] = [];
  const run = (command: string, { args }: ToolRun): Promise<string> => {
    commands.push([command, ...args]);
    if (command === "nvidia-smi") return Promise.resolve(cards);
    if (builds && args[0] === "--build") {
      const folder = join(args[1] ?? "", "bin");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, libraryFile("cuda")), "library");
    }
    return Promise.resolve("");
  };
  return { commands, run };
}

const optionsWith = (changes: Partial<BuildOptions>): BuildOptions => ({
  dataDir,
  backend: "cuda",
  architectures: undefined,
  definitions: [],
  now: () => new Date("2026-01-31T09:05:00Z"),
  sourcePlace: { from: "/nowhere", signal: AbortSignal.abort() },
  onOutput: () => undefined,
  ...changes,
});

describe("building a GPU library", () => {
  it("compiles the engine's own source for the cards that the driver names", async () => {
    const { commands, run } = tools("9.0\n8.6\n9.0\n");
    const library = await buildLibrary(optionsWith({ run }));
    const [, clone = [], configure = [], build = []] = commands;
    expect(clone).toContain(bindingSource());
    expect(configure).toEqual(
      expect.arrayContaining([
        "-DGGML_CUDA=ON",
        "-DGGML_BACKEND_DL=ON",
        "-DCMAKE_CUDA_ARCHITECTURES=90-real;86-real",
      ]),
    );
    expect(build).toEqual(expect.arrayContaining(["--target", "ggml-cuda"]));
    expect(readFileSync(library.file, "utf8")).toBe("library");
    expect(ownLibrary(dataDir, "cuda")).toMatchObject({
      from: "built",
      made: "for CUDA architecture 90-real;86-real",
    });
    expect(readdirSync(librariesFolder(dataDir))).toEqual(["cuda"]);
  });

  it("takes the architectures and CMake's options from the operator", async () => {
    const { commands, run } = tools("");
    await buildLibrary(
      optionsWith({ run, architectures: "75", definitions: ["CUDA_cublas_LIBRARY=/opt/x.so"] }),
    );
    expect(commands.map(([command]) => command)).not.toContain("nvidia-smi");
    expect(commands.flat()).toEqual(
      expect.arrayContaining(["-DCMAKE_CUDA_ARCHITECTURES=75", "-DCUDA_cublas_LIBRARY=/opt/x.so"]),
    );
  });

  it("asks for the architecture where the driver names no card", async () => {
    const { run } = tools("No devices were found");
    await expect(buildLibrary(optionsWith({ run }))).rejects.toThrow(/names no card.*--architectures/);
  });

  it("leaves nothing behind when it fails", async () => {
    const { run } = tools("9.0", false);
    await expect(buildLibrary(optionsWith({ run }))).rejects.toThrow(ToolError);
    expect(ownLibrary(dataDir, "cuda")).toBeNull();
    expect(readdirSync(librariesFolder(dataDir))).toEqual([]);
  });
});

describe("running a tool", () => {
  const node = (script: string, limitMs = 60_000) =>
    runTool(process.execPath, { args: ["-e", script], limitMs, missing: "Install it." });

  it("returns what it printed", async () => {
    expect(await node("console.log('9.0'); console.error('noise')")).toBe("9.0\n");
  });

  it("says what is missing, and what to do", async () => {
    const run = runTool("no-such-tool-anywhere", { args: [], limitMs: 1000, missing: "Install it." });
    await expect(run).rejects.toThrow("There is no 'no-such-tool-anywhere' here. Install it.");
  });

  it("quotes the line that explains a failure", async () => {
    const run = node(
      "console.log('step 1'); console.error('CMake Error: no CUDA compiler'); process.exit(3)",
    );
    await expect(run).rejects.toThrow(/failed: CMake Error: no CUDA compiler/);
  });

  it("ends one that takes too long", async () => {
    await expect(node("setInterval(() => undefined, 1000)", 200)).rejects.toThrow(/took longer than/);
  });
});
