import { describe, expect, it } from "vitest";
import { adviceFor, kindOf, failureKinds, informativeLine } from "./failures.js";
import { prebuiltLibrary } from "./library/pinned-packages.js";

const cudaOutput = `ggml_cuda_init: found 1 CUDA devices (Total VRAM: 143167 MiB):
  Device 0: NVIDIA H200, compute capability 9.0, VMM: yes
llama_context: n_ctx_seq (256) < n_ctx_train (512) -- the full capacity of the model will not be utilized
CUDA error: the provided PTX was compiled with an unsupported toolchain.
  current device: 0, in function ggml_cuda_compute_forward at /build/ggml-cuda.cu:3127
  err
/build/ggml-cuda.cu:97: CUDA error`;

describe("what a GPU's library says", () => {
  it("is summed up by the line that names the error", () => {
    expect(informativeLine(cudaOutput)).toBe(
      "CUDA error: the provided PTX was compiled with an unsupported toolchain.",
    );
    expect(
      informativeLine(
        "[node-llama-cpp] \u001b[31mThe prebuilt binary is not compatible with the current system",
      ),
    ).toBe("The prebuilt binary is not compatible with the current system");
    expect(
      informativeLine("loading\nterminate called after throwing 'vk::IncompatibleDriverError'\n"),
    ).toContain("IncompatibleDriver");
    expect(informativeLine("llama_context: n_ctx = 256\n")).toBeNull();
  });

  it("is one bounded line that no terminal interprets", () => {
    const line = informativeLine(`CUDA error: \u0007${"x".repeat(5000)}`) ?? "";
    expect(line).toHaveLength(200);
    expect(line).toMatch(/^[\x20-\x7e]+$/);
  });

  it.each([
    ["driver_too_old", "CUDA error: the provided PTX was compiled with an unsupported toolchain."],
    ["driver_too_old", "CUDA error: CUDA driver version is insufficient for CUDA runtime version"],
    ["driver_too_old", "terminate called after throwing an instance of 'vk::IncompatibleDriverError'"],
    ["no_kernel", "CUDA error: no kernel image is available for execution on the device"],
    ["out_of_memory", "CUDA error: out of memory"],
    ["out_of_memory", "vk::Device::allocateMemory: ErrorOutOfDeviceMemory"],
    ["out_of_memory", "ggml_backend_cuda_buffer_type_alloc_buffer: cudaMalloc failed: out of memory"],
    ["no_device", "ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected"],
    ["no_device", "ggml_vulkan: No devices found."],
    ["library_missing", "libcublas.so.13: cannot open shared object file: No such file or directory"],
    ["failed", "something else"],
  ])("is a case of %s: %s", (kind, words) => {
    expect(kindOf(words)).toBe(kind);
  });

  it.skipIf(prebuiltLibrary("cuda", "12") === null)("names every way around a driver that is too old", () => {
    const advice = adviceFor("cuda", "driver_too_old");
    for (const way of ["build cuda", "install cuda --cuda 12", "install vulkan"])
      expect(advice).toContain(`sotto engine ${way}`);
    expect(adviceFor("vulkan", "driver_too_old")).not.toContain("install");
  });

  it("comes with advice, whatever it is", () => {
    for (const kind of failureKinds) expect(adviceFor("cuda", kind)).toMatch(/\w/);
  });
});
