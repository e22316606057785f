/**
 * A GPU whose library fails in the ways that real ones do. The throwaway process is a real one; what happens in
 * it instead of loading a model is written here.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend, GpuBackend } from "../../../src/engines/llama/backends.js";
import type { GpuMachine } from "../../../src/engines/llama/gpu/choice.js";

export const ptxWords = "CUDA error: the provided PTX was compiled with an unsupported toolchain.";
export const memoryWords =
  "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 0.28 MiB on device 0: cudaMalloc failed: out of memory";

const behaviours = {
  works: `process.send({ type: "works", devices: ["Fake 9000"], cores: 2, isExtended: false }, () => process.exit());`,
  aborts: `process.abort();`,
  hangs: `process.on("SIGTERM", () => undefined); for (;;);`,
  // As it is printed: on standard output, with noise before and after.
  badPtx: `console.log("ggml_cuda_init: found 1 CUDA devices:\\n\\n${ptxWords}\\n  current device: 0, in function ggml_cuda_mul_mat");
           setImmediate(() => process.abort());`,
  outOfMemory: `console.error(${JSON.stringify(memoryWords)}); process.exitCode = 1; process.disconnect();`,
  noDevice: `process.send({ type: "failed", reason: "no usable device was found" }, () => process.exit());`,
} as const;
export type Behaviour = keyof typeof behaviours;

export interface FakeGpu {
  machine: GpuMachine;
  /** The backends that were tried so far. */
  probes(): string[];
  /** The processes in which they were. */
  pids(): number[];
  /** Another driver is installed. */
  setDriver(version: string): void;
}

export function fakeGpu(library: Partial<Record<Backend, Behaviour>>, limitMs = 30_000): FakeGpu {
  const folder = mkdtempSync(join(tmpdir(), "sotto-gpu-"));
  const program = join(folder, "library.mjs");
  const runs = join(folder, "runs");
  writeFileSync(runs, "");
  const cases = Object.entries(library).map(
    ([backend, how]) => `case "${backend}": ${behaviours[how]} break;`,
  );
  writeFileSync(
    program,
    `import { appendFileSync } from "node:fs";
     process.once("message", ({ backend }) => {
       appendFileSync(${JSON.stringify(runs)}, backend + " " + process.pid + "\\n");
       switch (backend) { ${cases.join("\n")} }
     });`,
  );
  const lines = () =>
    readFileSync(runs, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" "));
  let driver = "580.65.06";
  const candidates = (["cuda", "vulkan"] satisfies GpuBackend[]).filter((backend) => backend in library);
  return {
    machine: {
      look: () => ({
        candidates,
        withoutLibrary: [],
        driver: `NVIDIA driver ${driver}`,
        fingerprint: driver,
      }),
      program,
      limitMs,
    },
    probes: () => lines().map(([backend = ""]) => backend),
    pids: () => lines().map(([, pid]) => Number(pid)),
    setDriver: (version) => {
      driver = version;
    },
  };
}
