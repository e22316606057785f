/**
 * Classifies what a GPU's library prints when it fails: one bounded line of its own words, the kind of failure, and
 * advice for the operator.
 */
import { stripVTControlCharacters } from "node:util";
import type { GpuBackend } from "../backends.js";
import { prebuiltLibrary } from "./library/pinned-packages.js";

/** A closed set, for logs. */
export const failureKinds = [
  "driver_too_old",
  "no_kernel",
  "out_of_memory",
  "no_device",
  "library_missing",
  "timed_out",
  "crashed",
  "failed",
  "not_tried",
  "not_installed",
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** It may be gone at the next start. */
export const isTransient = (kind: FailureKind): boolean =>
  kind === "out_of_memory" || kind === "not_tried" || kind === "not_installed";

/** The first whose words occur. */
const signs: readonly [kind: FailureKind, words: RegExp][] = [
  [
    "driver_too_old",
    /unsupported toolchain|driver version is insufficient|incompatible ?driver|forward compat/i,
  ],
  [
    "no_kernel",
    /no kernel image|kernel image is invalid|invalid device function|no device code|arch mismatch/i,
  ],
  [
    "out_of_memory",
    /out of (\w+ )?memory|out ?of ?(device|host) ?memory|insufficient memory|not enough v?ram|failed to allocate/i,
  ],
  ["library_missing", /\.(so|dll|dylib)\S*: cannot open|library .*not found|could not be found/i],
  [
    "no_device",
    /no [\w-]*(cuda|vulkan|metal|gpu)?[\w -]*device|no devices? found|not compatible with the current system/i,
  ],
];

export function kindOf(words: string): FailureKind {
  return signs.find(([, pattern]) => pattern.test(words))?.[0] ?? "failed";
}

/** Best first: which line of an output says what went wrong. */
const informativeLines: readonly RegExp[] = [
  /\b(CUDA|ROCm|MUSA|Vulkan|Metal) error: ./i,
  /\bvk::|VK_ERROR|ErrorOut|ErrorDevice|ErrorIncompatible/,
  /out of memory|no kernel image|unsupported toolchain|driver version is insufficient/i,
  /no [\w -]*device|cannot open shared object/i,
  /not compatible with the current system/i,
  /terminate called|GGML_ASSERT|symbol lookup error|undefined symbol|: version .* not found/i,
  /\b(error|failed|abort|cannot|unsupported)\b/i,
];

const longestWords = 200;

/** The line of the output that says what went wrong, or null when none does. */
export function informativeLine(output: string): string | null {
  const lines = linesOf(output);
  for (const pattern of informativeLines) {
    const line = lines.find((candidate) => pattern.test(candidate));
    if (line !== undefined) return bounded(line.replace(/^Error( \[\w+\])?: /, ""));
  }
  return null;
}

/** The words that matter in an error that quotes several lines, with semicolons between. */
export const wordsOf = (reason: string): string =>
  informativeLine(reason.replaceAll("; ", "\n")) ?? bounded(reason);

/** The last line of the output that is not empty; null when there is none. */
export function lastLine(output: string): string | null {
  const line = linesOf(output).at(-1);
  return line === undefined ? null : bounded(line);
}

const linesOf = (output: string): string[] =>
  output
    .split(/[\r\n]+/)
    .map(plain)
    .filter((line) => line !== "");

/** Without what terminals interpret, and without the binding's prefix. */
const plain = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/^\s*\[node-llama-cpp\]\s*/, "")
    .trim();

export const bounded = (text: string): string =>
  text.length <= longestWords ? text : `${text.slice(0, longestWords - 3)}...`;

const ownBuild: Record<GpuBackend, string> = {
  cuda: "build the engine for this machine: sotto engine build cuda",
  vulkan: "build the engine for this machine: sotto engine build vulkan",
  // Metal's library comes with the system and is compiled when it is used.
  metal: "update macOS",
};
const libraries: Record<GpuBackend, string> = {
  cuda: "Install the NVIDIA driver and the CUDA runtime with cuBLAS",
  vulkan: "Install Vulkan's loader and the driver of the card",
  metal: "Update macOS",
};
const lookAtCard: Record<GpuBackend, string> = {
  cuda: "nvidia-smi",
  vulkan: "vulkaninfo --summary",
  metal: "system_profiler SPDisplaysDataType",
};

/** For a driver that is too old for CUDA 13's library, where there is no toolkit to build another. */
const otherPrebuilt = (backend: GpuBackend): string =>
  backend === "cuda" && prebuiltLibrary("cuda", "12") !== null
    ? ". Without CUDA's toolkit: sotto engine install cuda --cuda 12, or sotto engine install vulkan"
    : "";

export function adviceFor(backend: GpuBackend, kind: FailureKind): string {
  switch (kind) {
    case "driver_too_old":
      return `Update the GPU's driver, or ${ownBuild[backend]}${otherPrebuilt(backend)}`;
    case "no_kernel":
      return `The prebuilt library does not support this card: ${ownBuild[backend]}`;
    case "out_of_memory":
      return `Free memory on the GPU ('${lookAtCard[backend]}' shows what uses it), or choose smaller weights or a shorter context.`;
    case "library_missing":
      return `${libraries[backend]}, or set SOTTO_ENGINE_GPU=off.`;
    case "no_device":
      return `Check that the driver finds the GPU ('${lookAtCard[backend]}'), or set SOTTO_ENGINE_GPU=off.`;
    case "timed_out":
      return `Check that the GPU responds ('${lookAtCard[backend]}'), update its driver, or set SOTTO_ENGINE_GPU=off.`;
    case "not_installed":
      return prebuiltLibrary(backend) === null
        ? `To use it, ${ownBuild[backend]}`
        : `To use it: sotto engine install ${backend}`;
    case "not_tried":
      return "It is tried again at the next start.";
    case "crashed":
    case "failed":
      return `Update the GPU's driver, ${ownBuild[backend]}, or set SOTTO_ENGINE_GPU=off.`;
  }
}
