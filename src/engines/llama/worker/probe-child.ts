/**
 * A throwaway process that tries one backend: loads a tiny model on it, reads a prompt and samples a token, says
 * so to its parent and ends. Loading a library proves little: a missing kernel or a driver that is too old shows
 * only when something is computed. A crash here affects nothing else.
 */
import { loadModel, type LoadedModel } from "./addon.js";
import { computeAlone } from "./batch-context.js";
import { missingLibrary } from "./missing-library.js";
import { rawConfig } from "./reply/sampling-plan.js";
import type { ProbeAnswer, ProbeRequest } from "../messages.js";

process.on("disconnect", () => {
  // The parent is gone.
  process.kill(process.pid, "SIGKILL");
});

process.once("message", (request: ProbeRequest) => {
  tryBackend(request).then(answer, (error: unknown) => {
    const reason = error instanceof Error ? error.message : "unknown error";
    answer({ type: "failed", reason: missingLibrary(request.backend, request.library) ?? reason });
  });
});

const promptTokens = 32;

async function tryBackend({ backend, ...request }: ProbeRequest): Promise<ProbeAnswer> {
  const model = await loadModel({
    ...request,
    gpu: backend === "cpu" ? "off" : backend,
    threads: undefined,
    sequences: 1,
    contextTokens: 256,
    prefillChunkTokens: 128,
    prefixReuse: "off",
    speculation: "off",
    savedStateBytes: undefined,
    probing: true,
  });
  const { gpu, gpuLayers } = model.facts;
  if (gpu !== backend) {
    const reason = missingLibrary(backend, request.library) ?? `the binding chose ${gpu} instead`;
    return { type: "failed", reason };
  }
  if (backend !== "cpu" && (model.devices.length === 0 || gpuLayers === 0)) {
    return { type: "failed", reason: "no usable device was found" };
  }
  await compute(model, new Uint32Array(promptTokens), 0);
  // Single tokens are computed by other kernels than prompts.
  await compute(model, new Uint32Array(1), promptTokens);
  return {
    type: "works",
    devices: [...model.devices],
    cores: model.cores,
    isExtended: model.facts.isExtended,
  };
}

/** Sampling a token waits for the device: until then its errors may be on their way. */
async function compute({ context, newSampler }: LoadedModel, tokens: Uint32Array, at: number): Promise<void> {
  const logits = await computeAlone(context, at, tokens);
  const sampler = newSampler();
  sampler.applyConfig(rawConfig);
  if ((await context.sampleToken(logits, sampler)) < 0) throw new Error("no token could be sampled");
}

function answer(message: ProbeAnswer): void {
  // The system cleans up the device: drivers that hang tend to do so at exit.
  process.send?.(message, () => process.kill(process.pid, "SIGKILL"));
}
