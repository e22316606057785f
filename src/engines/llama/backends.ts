/** What the embedded engine can compute on. */
export const gpuBackends = ["cuda", "vulkan", "metal"] as const;
export type GpuBackend = (typeof gpuBackends)[number];
export type Backend = GpuBackend | "cpu";

export const isGpu = (name: string): name is GpuBackend => gpuBackends.some((backend) => backend === name);

export const backendNames: Record<Backend, string> = {
  cuda: "CUDA",
  vulkan: "Vulkan",
  metal: "Metal",
  cpu: "the CPU",
};
