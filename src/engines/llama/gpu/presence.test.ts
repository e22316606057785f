import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cudaHere, lookForGpu } from "./presence.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sotto-root-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, content = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const look = (env: NodeJS.ProcessEnv = {}, hasLibrary: (backend: string) => boolean = () => true) =>
  lookForGpu({ env, root, hasLibrary });
const moduleVersion = (version: string) =>
  `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  ${version}  Release Build\nGCC version: 13\n`;

describe("looking for a GPU", () => {
  it("finds nothing to try on a machine without a driver", () => {
    put("dev/dri/card0");
    put("usr/lib/x86_64-linux-gnu/libvulkan.so.1");
    expect(look()).toMatchObject({ candidates: [], driver: "" });
  });

  it("finds CUDA by the driver, and Vulkan by its loader and a card", () => {
    put("proc/driver/nvidia/version", moduleVersion("580.65.06"));
    put("dev/nvidia0");
    put("usr/lib/x86_64-linux-gnu/libvulkan.so.1");
    expect(look()).toMatchObject({ candidates: ["cuda", "vulkan"], driver: "NVIDIA driver 580.65.06" });
  });

  it("finds the driver's library where the system is told to look for it", () => {
    put("opt/libcuda.so.535.104.05");
    symlinkSync("libcuda.so.535.104.05", join(root, "opt/libcuda.so.1"));
    expect(look({ LD_LIBRARY_PATH: `/none:${join(root, "opt")}` })).toMatchObject({
      candidates: ["cuda"],
      driver: "NVIDIA driver 535.104.05",
    });
  });

  it("tries nothing that the binding has no library for", () => {
    put("proc/driver/nvidia/version", moduleVersion("580.65.06"));
    put("dev/nvidia0");
    put("usr/lib/libvulkan.so.1");
    expect(look({}, (backend) => backend === "vulkan")).toMatchObject({
      candidates: ["vulkan"],
      withoutLibrary: ["cuda"],
    });
  });

  it("chooses the newest of CUDA's runtimes that are here", () => {
    expect(cudaHere({ env: {}, root })).toBe("13");
    put("usr/local/cuda/lib64/libcudart.so.12");
    expect(cudaHere({ env: {}, root })).toBe("12");
    put("opt/libcudart.so.13");
    expect(cudaHere({ env: { LD_LIBRARY_PATH: join(root, "opt") }, root })).toBe("13");
  });

  it("tries a library of this machine, and again after it was rebuilt", () => {
    put("proc/driver/nvidia/version", moduleVersion("580.65.06"));
    const own = () =>
      lookForGpu({
        env: {},
        root,
        hasLibrary: () => false,
        ownLibrary: (backend) => (backend === "cuda" ? join(root, "own.so") : undefined),
      });
    put("own.so", "first");
    const first = own();
    expect(first.candidates).toEqual(["cuda"]);
    expect(own().fingerprint).toBe(first.fingerprint);
    put("own.so", "second one");
    expect(own().fingerprint).not.toBe(first.fingerprint);
    expect(look({}, () => false).candidates).toEqual([]);
  });

  it("has another fingerprint after whatever may change the outcome, and the same otherwise", () => {
    put("proc/driver/nvidia/version", moduleVersion("580.65.06"));
    const seen = [look().fingerprint];
    expect(look().fingerprint).toBe(seen[0]);
    const changes = [
      () => put("proc/driver/nvidia/version", moduleVersion("590.10")),
      () => put("dev/nvidia1"),
      () => put("usr/share/vulkan/icd.d/nvidia_icd.json"),
      () => put("usr/lib64/libcuda.so.1"),
    ];
    for (const change of changes) {
      change();
      seen.push(look().fingerprint);
    }
    seen.push(look({ CUDA_VISIBLE_DEVICES: "1" }).fingerprint);
    expect(new Set(seen).size).toBe(seen.length);
    expect(look({ HOME: "/root" }).fingerprint).toBe(look().fingerprint);
  });
});
