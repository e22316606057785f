/**
 * npm packages of the binding that are downloaded when somebody asks for them, with the hashes of our lockfile
 * (test/packages.test.ts compares the two). Their version is the binding's.
 */
import type { GpuBackend } from "../../backends.js";
import { platformName } from "../../binding-package.js";

export const pinnedPackages: Readonly<Record<string, string>> = {
  "node-llama-cpp":
    "sha512-bltIipuWmc123H7tMIgDGKSsSrhmhlQYeVUC48XTjVW7XGJJiJJyCdlTMzQ/LiWoPkGDpcL4FviDpgw7qfTiDw==",
  "@node-llama-cpp/linux-x64-cuda":
    "sha512-8rQCjyNNLZJUFit+YpjwlC4hwkKgOMIkB2wuycKBf8NU2O3ySKbiWZQ8aw9ku2nUTXjSnUIrE6KB88itduTBuA==",
  "@node-llama-cpp/linux-x64-cuda-ext":
    "sha512-4e5ajkiM2aR2WAdB/N/ACk4weEhHvOAIrzxZPsIX0xDFW5+6hhShuy1/vs88SK9NGdgAco9IyE28eYS0H1efpA==",
  "@node-llama-cpp/linux-x64-vulkan":
    "sha512-bBxqU+JOcBu1nb5Qj2zcMci+JByT1E8EajHvYodyNfVIPkEhXh+/HMwR1/BT7xP08YK0hks+kM8fglER0P8JEg==",
};

/** The major version of CUDA's runtime that a library links to. */
export const cudaVersions = ["13", "12"] as const;
export type CudaVersion = (typeof cudaVersions)[number];

export interface PrebuiltLibrary {
  package: string;
  /** Its path in the package. */
  path: string;
  /** For people. */
  made: string;
}

/** Null where there is none for the platform. */
export function prebuiltLibrary(
  backend: GpuBackend,
  cuda: CudaVersion = "13",
  platform = platformName(),
): PrebuiltLibrary | null {
  const variant = `${platform}-${backend}`;
  const isExtra = backend === "cuda" && cuda === "12";
  const name = `@node-llama-cpp/${variant}${isExtra ? "-ext" : ""}`;
  if (!(name in pinnedPackages)) return null;
  const folder = isExtra ? `bins/${variant}/fallback` : `bins/${variant}`;
  return {
    package: name,
    path: `${folder}/libggml-${backend}.so`,
    made: backend === "cuda" ? `for CUDA ${cuda}` : `for ${variant}`,
  };
}
