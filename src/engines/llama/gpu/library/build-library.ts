/**
 * Builds the GPU library for the card and the driver of this machine, from the source that the binding carries: the
 * release that the rest of the engine is made of. Only the backend's own library is compiled (minutes, not an hour),
 * for the architectures of the cards at hand; the CPU's prebuilt binding loads it.
 *
 * Only an installed package, which does without the source, downloads it: from npm, with a known hash. The toolkit is
 * the operator's: one that the driver supports, which is the point.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { bindingSource, libraryFile, sourceFile } from "../../binding-package.js";
import { unpackFrom, type DownloadPlace } from "./download-package.js";
import { inWorkFolder, keepLibrary, type OwnLibrary } from "./own-library.js";
import { runTool, ToolError } from "./run-tool.js";

export const buildable = ["cuda", "vulkan"] as const;
export type BuildableBackend = (typeof buildable)[number];

export interface BuildOptions {
  dataDir: string;
  backend: BuildableBackend;
  /** CUDA architectures, as CMake takes them; undefined: of the cards at hand. */
  architectures: string | undefined;
  /** Further options for CMake, as `NAME=value`. */
  definitions: readonly string[];
  now: () => Date;
  /** Where the source comes from if it is not installed. */
  sourcePlace: DownloadPlace;
  onOutput: (text: string) => void;
  /** Replaced in tests. */
  run?: typeof runTool;
}

const minuteMs = 60_000;
const missing = {
  git: "Install git: the source comes as a git bundle.",
  cmake: "Install CMake 3.24 or newer and a C++ compiler.",
  "nvidia-smi": "Name the card's compute capability with --architectures, for example 90 for 9.0.",
} as const;

/** Rejects with a `ToolError`. */
export const buildLibrary = (options: BuildOptions): Promise<OwnLibrary> =>
  inWorkFolder(options.dataDir, `build-${options.backend}`, (folder) => buildIn(folder, options));

async function buildIn(folder: string, options: BuildOptions): Promise<OwnLibrary> {
  const { dataDir, backend, now, run = runTool } = options;
  const [checkout, build] = [join(folder, "source"), join(folder, "build")];
  const tool = (command: keyof typeof missing, minutes: number, args: readonly string[]) =>
    run(command, {
      args,
      onOutput: options.onOutput,
      limitMs: minutes * minuteMs,
      missing: missing[command],
    });
  const target = backend === "cuda" ? await cudaTarget(options, run) : vulkanTarget;
  const source =
    bindingSource() ?? (await unpackFrom("node-llama-cpp", sourceFile, folder, options.sourcePlace));
  await tool("git", 5, ["clone", "--quiet", source, checkout]);
  const definitions = [...commonDefinitions, ...target.definitions, ...options.definitions];
  await tool("cmake", 5, ["-S", checkout, "-B", build, ...definitions.map((one) => `-D${one}`)]);
  const parallel = String(availableParallelism());
  await tool("cmake", 120, ["--build", build, "--target", `ggml-${backend}`, "--parallel", parallel]);
  const built = ["bin", "src", join("src", `ggml-${backend}`), "."]
    .map((place) => join(build, place, libraryFile(backend)))
    .find((path) => existsSync(path));
  if (built === undefined) throw new ToolError(`The build left no ${libraryFile(backend)}.`);
  const description = { backend, from: "built", made: target.text, at: now().toISOString() } as const;
  return keepLibrary(dataDir, description, built);
}

interface Target {
  definitions: readonly string[];
  text: string;
}

/** As the prebuilt libraries are built: one that is loaded by name, and nothing of the rest. */
const commonDefinitions = [
  "CMAKE_BUILD_TYPE=Release",
  "BUILD_SHARED_LIBS=ON",
  "GGML_BACKEND_DL=ON",
  "GGML_NATIVE=OFF",
  "GGML_CCACHE=OFF",
  // The prebuilt libraries that it is loaded beside have no version in their names.
  "CMAKE_PLATFORM_NO_VERSIONED_SONAME=ON",
  "LLAMA_OPENSSL=OFF",
  ...["COMMON", "TESTS", "TOOLS", "EXAMPLES", "SERVER", "APP", "UI"].map((part) => `LLAMA_BUILD_${part}=OFF`),
];

const vulkanTarget: Target = { definitions: ["GGML_VULKAN=ON"], text: "for Vulkan" };

async function cudaTarget({ architectures }: BuildOptions, run: typeof runTool): Promise<Target> {
  const found = architectures ?? (await cardArchitectures(run));
  const definitions = [
    "GGML_CUDA=ON",
    // The engine computes the same graph at every step: recorded once, its launches cost next to nothing.
    "GGML_CUDA_GRAPHS=ON",
    "GGML_CUDA_NCCL=OFF",
    `CMAKE_CUDA_ARCHITECTURES=${found}`,
  ];
  return { definitions, text: `for CUDA architecture ${found}` };
}

/** From the driver, for instance "90" for one card of compute capability 9.0. */
async function cardArchitectures(run: typeof runTool): Promise<string> {
  const printed = await run("nvidia-smi", {
    args: ["--query-gpu=compute_cap", "--format=csv,noheader"],
    limitMs: minuteMs,
    missing: missing["nvidia-smi"],
  });
  const capabilities = printed.match(/\d+\.\d+/g) ?? [];
  if (capabilities.length === 0) throw new ToolError(`The driver names no card. ${missing["nvidia-smi"]}`);
  const numbers = new Set(capabilities.map((capability) => capability.replace(".", "")));
  return [...numbers].map((number) => `${number}-real`).join(";");
}
