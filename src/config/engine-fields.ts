/** How engines run: the embedded one, and the wait for any of them. */
import * as z from "zod";
import { choice, field, integer, number, optionalField, yesOrNo } from "./kinds.js";

export const engineFields = {
  threads: optionalField("SOTTO_ENGINE_THREADS", {
    schema: integer(1, 1024),
    doc: "CPU threads of the embedded engine. Default: the physical cores that this process may use, all but one where there are eight or more, and fewer while other programs need them.",
  }),
  gpu: field("SOTTO_ENGINE_GPU", {
    ...choice("auto", "off"),
    doc: "`auto` uses CUDA, Vulkan or Metal where a test run succeeds (one for each driver); `off` uses the CPU.",
  }),
  sequences: optionalField("SOTTO_ENGINE_SEQUENCES", {
    schema: integer(1, 256),
    doc: "Generations that run concurrently on one model file. Default: 8, on a GPU 64, or fewer where 32k tokens of context need the memory.",
  }),
  contextTokens: optionalField("SOTTO_ENGINE_CONTEXT_TOKENS", {
    schema: integer(128, 1_048_576),
    doc: "Context of each sequence, prompt and reply together, unless one is chosen with the weights of a model. Default: as much of what the model was trained for as memory allows, with at least 32k where that can be reached.",
  }),
  prefillChunkTokens: optionalField("SOTTO_ENGINE_PREFILL_CHUNK_TOKENS", {
    schema: integer(16, 4096),
    doc: "Prompt tokens computed in one step beside running replies. Default: 128, on a GPU as many as a batch holds. Larger values read prompts faster, smaller ones keep running replies smooth.",
  }),
  reencodeStarter: field("SOTTO_ENGINE_REENCODE_STARTER", {
    ...choice("on", "off"),
    doc: "`on` merges the starter weights with their correction once, into a file of 0.6 GB, so that they answer better and more than twice as fast; `off` uses them unchanged.",
  }),
  prefixReuse: field("SOTTO_ENGINE_PREFIX_REUSE", {
    ...choice("on", "off"),
    doc: "`on` keeps the computed state of a conversation in memory for up to ten minutes after its last turn, so that the next turn, or another conversation with the same prefix, computes only its new tokens. Never shared between accounts.",
  }),
  speculation: field("SOTTO_ENGINE_SPECULATION", {
    ...choice("on", "off"),
    doc: "`on` guesses the next tokens of a reply that runs alone from its prompt, its own text and the schema it follows, where measuring shows that it pays: quotes, edits of code, repeated structures and the names in JSON come faster, in the same words. `off` is for comparing.",
  }),
  extension: field("SOTTO_ENGINE_EXTENSION", {
    ...choice("on", "off"),
    doc: "`on` uses the engine's extension where it is built (`sotto engine build extension`, on Linux): threads that stay between two steps, where two or more compute, sampling without a copy of the logits, and short inputs of embeddings in one batch. `off` is for comparing.",
  }),
  savedStateBytes: optionalField("SOTTO_ENGINE_SAVED_STATE_BYTES", {
    schema: integer(0, 2 ** 50),
    doc: "Memory, for each loaded model, for the computed state of conversations whose sequence was needed for another. Default: a quarter of what would be free without them. `0` saves none.",
  }),
  cacheType: optionalField("SOTTO_ENGINE_CACHE_TYPE", {
    schema: z.enum(["f16", "q8_0", "q4_0"], { error: "must be f16, q8_0 or q4_0" }),
    doc: "Precision of the KV cache. `q8_0` takes about half the memory of `f16` and `q4_0` about a quarter, at some cost in speed and quality. Default: `f16`, or `q8_0` where that is what it takes for 32k tokens of context.",
  }),
  loadTimeoutMs: field("SOTTO_ENGINE_LOAD_TIMEOUT_MS", {
    schema: integer(1000, 3_600_000),
    default: 300_000,
    doc: "Longest time for loading a model file before the engine counts as failed.",
  }),
  idleUnloadMinutes: field("SOTTO_ENGINE_IDLE_UNLOAD_MINUTES", {
    schema: number(0, 10_080),
    default: 0,
    doc: "Loads a model file at its first request, and unloads it after so many minutes without one, or earlier when another model needs its memory: see [models.md](models.md#on-demand). `0` loads every model at the start and keeps it.",
  }),
  firstTokenTimeoutMs: field("SOTTO_ENGINE_FIRST_TOKEN_TIMEOUT_MS", {
    schema: integer(100, 3_600_000),
    default: 60_000,
    doc: "Longest wait for the first token once a request runs.",
  }),
  nextTokenTimeoutMs: field("SOTTO_ENGINE_NEXT_TOKEN_TIMEOUT_MS", {
    schema: integer(100, 3_600_000),
    default: 30_000,
    doc: "Longest wait between two tokens.",
  }),
  strictPreflight: field("SOTTO_ENGINE_STRICT_PREFLIGHT", {
    schema: yesOrNo,
    default: false,
    doc: "Whether engines on the network that are known to log requests, to share caches between accounts or to forward requests are refused instead of only warned about.",
  }),
};
