/** The environment of the engine's child processes. */
import type { EngineTask } from "../../core/serving/engine-port.js";

/** The child finds its libraries and devices with these. It gets nothing else: environments hold secrets. */
const childVariables =
  /^(PATH|HOME|LANG|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|(CUDA|NVIDIA|VK|XDG|GGML)_\w+)$/;

/**
 * The native code starts new compute threads for every step, from whichever of libuv's threads runs the
 * step. With only one of those, the system leaves it on its core and starts the others elsewhere: with four, both
 * often share a core for some milliseconds, which made a step a sixth longer (`bench -- engine`).
 */
const ownThreads = { UV_THREADPOOL_SIZE: "1" };

/**
 * glibc overwrites what native code and Node's buffers free: it held conversations. It does so only with memory that
 * does not go through its caches of each thread.
 */
const overwritten = { GLIBC_TUNABLES: "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0" };

/** Where vectors are computed, each lane runs on one of libuv's threads (worker/vectors/lane-sizing.ts). */
const laneThreads = { UV_THREADPOOL_SIZE: "16" };

export function engineEnvironment(task: EngineTask = "chat"): NodeJS.ProcessEnv {
  const passedOn = Object.entries(process.env).filter(([name]) => childVariables.test(name));
  return {
    ...Object.fromEntries(passedOn),
    ...(task === "chat" ? ownThreads : laneThreads),
    ...overwritten,
  };
}
