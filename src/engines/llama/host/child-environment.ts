/** The environment of the engine's child processes. */
import { availableParallelism } from "node:os";

/** The child finds its libraries and devices with these. It gets nothing else: environments hold secrets. */
const childVariables =
  /^(PATH|HOME|LANG|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|(CUDA|NVIDIA|VK|XDG|GGML)_\w+)$/;

/**
 * The native code starts new compute threads for every step, from whichever of libuv's threads runs the
 * step. With only one of those, the system leaves it on its core and starts the others elsewhere: with four, both
 * often share a core for some milliseconds, which made a step a sixth longer (`bench -- engine`).
 */
const oneThread = 1;

/**
 * With a GPU the CPU's part of a step is drawing tokens, one for each sequence, while the GPU waits: there it is done
 * on several threads. More than these gain nothing, since the logits are handed out one sequence at a time.
 */
const mostDrawingThreads = 8;

/** Of this process, for the engine's children. */
export const engineEnvironment = (onGpu = false): NodeJS.ProcessEnv => childEnvironment(process.env, onGpu);

export function childEnvironment(env: NodeJS.ProcessEnv, onGpu = false): NodeJS.ProcessEnv {
  const passedOn = Object.entries(env).filter(([name]) => childVariables.test(name));
  const threads = onGpu ? Math.min(mostDrawingThreads, availableParallelism()) : oneThread;
  return { ...Object.fromEntries(passedOn), UV_THREADPOOL_SIZE: String(threads) };
}
