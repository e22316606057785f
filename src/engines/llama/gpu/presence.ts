/**
 * Which GPU backends could work here, judged by what is on disk: cheap, and without loading anything of a
 * driver. Also a fingerprint of all that decides whether one works, so that a result can be remembered for as
 * long as it holds: the driver, the cards, the binding, and the environment variables that affect them.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { gpuBackends, type GpuBackend } from "../backends.js";
import { bindingVersion, isInstalled } from "../binding-package.js";
import { cudaVersions, type CudaVersion } from "./library/pinned-packages.js";

export interface GpuPresence {
  /** Worth a try, best first. */
  candidates: readonly GpuBackend[];
  /** Would be, if there were a library for it. */
  withoutLibrary: readonly GpuBackend[];
  /** The driver in words; "" where its version is not known. */
  driver: string;
  /** When it changes, earlier probe results no longer hold. */
  fingerprint: string;
}

export interface PresenceOptions {
  /** Of the child that is to use it. */
  env: NodeJS.ProcessEnv;
  /** Where the system's files are; tests have others. */
  root?: string | undefined;
  hasLibrary?: (backend: GpuBackend) => boolean;
  /** The file of the GPU library of this machine, where there is one. */
  ownLibrary?: (backend: GpuBackend) => string | undefined;
}

export function lookForGpu(options: PresenceOptions): GpuPresence {
  const { env, root = "/" } = options;
  const { platform, arch } = process;
  const { hasLibrary = isInstalled, ownLibrary = () => undefined } = options;
  const found = platform === "linux" ? onLinux(env, root) : elsewhere();
  const isUsable = (backend: GpuBackend) => ownLibrary(backend) !== undefined || hasLibrary(backend);
  const candidates = found.candidates.filter(isUsable);
  const steering = Object.entries(env).filter(([name]) => steers.test(name));
  const own = gpuBackends.flatMap((backend) => traceOf(ownLibrary(backend) ?? ""));
  const decisive = [...[platform, arch, release(), bindingVersion(), found, candidates, steering], ...own];
  return {
    candidates,
    withoutLibrary: found.candidates.filter((backend) => !isUsable(backend)),
    driver: found.driver,
    fingerprint: createHash("sha256").update(JSON.stringify(decisive)).digest("hex").slice(0, 32),
  };
}

/** Environment variables that decide which devices and libraries a child sees. */
const steers = /^(LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|(CUDA|NVIDIA|VK|GGML)_\w+)$/;

interface Found {
  candidates: readonly GpuBackend[];
  driver: string;
  /** Whatever changes with the driver or the cards. */
  traces: readonly string[];
}

/** Metal comes with the system. */
const elsewhere = (): Found => ({
  candidates: process.platform === "darwin" && process.arch === "arm64" ? ["metal"] : [],
  driver: "",
  traces: [],
});

const libraryFolders = [
  "usr/lib",
  "usr/lib64",
  "usr/lib/x86_64-linux-gnu",
  "usr/lib/aarch64-linux-gnu",
  "usr/lib/wsl/lib",
  "usr/local/nvidia/lib64",
  "run/opengl-driver/lib",
];
const cudaFolders = ["usr/local/cuda/lib64", "usr/local/cuda/targets/x86_64-linux/lib"];
const vulkanDrivers = ["usr/share/vulkan/icd.d", "etc/vulkan/icd.d"];

/** Which of CUDA's runtimes a library that is to be installed should link to: the newest that is here. */
export function cudaHere({ env, root = "/" }: Pick<PresenceOptions, "env" | "root">): CudaVersion {
  const isHere = (version: CudaVersion) => systemLibrary(`libcudart.so.${version}`, env, root).length > 0;
  return cudaVersions.find(isHere) ?? "13";
}

function systemLibrary(name: string, env: NodeJS.ProcessEnv, root: string): string[] {
  const folders = [
    ...(env["LD_LIBRARY_PATH"] ?? "").split(":").filter((folder) => folder !== ""),
    ...[...libraryFolders, ...cudaFolders].map((folder) => join(root, folder)),
  ];
  return folders.flatMap((folder) => traceOf(join(folder, name))).slice(0, 1);
}

function onLinux(env: NodeJS.ProcessEnv, root: string): Found {
  const at = (path: string) => join(root, path);
  const library = (name: string) => systemLibrary(name, env, root);
  const kernelModule = firstLine(at("proc/driver/nvidia/version"));
  const cuda = library("libcuda.so.1");
  const vulkan = library("libvulkan.so.1");
  const cards = [
    ...namesIn(at("proc/driver/nvidia/gpus")),
    ...namesIn(at("dev")).filter((name) => /^(nvidia\d+|dxg)$/.test(name)),
    ...namesIn(at("dev/dri")).filter((name) => name.startsWith("render")),
  ];
  const hasNvidia = cuda.length > 0 || kernelModule !== "";
  return {
    candidates: [
      ...(hasNvidia ? ["cuda" as const] : []),
      // Many machines have Vulkan's loader and nothing that it could load.
      ...(vulkan.length > 0 && cards.length > 0 ? ["vulkan" as const] : []),
    ],
    driver: nvidiaDriver(kernelModule, cuda),
    traces: [
      kernelModule,
      ...cuda,
      ...vulkan,
      ...cards,
      ...vulkanDrivers.flatMap((folder) =>
        namesIn(at(folder)).flatMap((name) => traceOf(join(at(folder), name))),
      ),
    ],
  };
}

/** From "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build", or the library's name. */
function nvidiaDriver(kernelModule: string, library: readonly string[]): string {
  const version =
    /\s(\d{3,}\.[\d.]+)/.exec(kernelModule)?.[1] ?? /libcuda\.so\.(\d{3,}[\d.]*)/.exec(library[0] ?? "")?.[1];
  return version === undefined ? "" : `NVIDIA driver ${version}`;
}

/** The file behind the name, whose own name has the version, and when it was put there. Empty where there is none. */
const traceOf = (path: string): string[] =>
  readOr([], () => {
    const { size, mtimeMs } = statSync(path);
    return [`${realpathSync(path)} ${size} ${mtimeMs}`];
  });

const firstLine = (path: string): string => readOr("", () => readFileSync(path, "utf8").split("\n")[0] ?? "");

const namesIn = (folder: string): string[] => readOr([], () => readdirSync(folder).sort());

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
