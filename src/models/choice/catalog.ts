/**
 * Open-weight instruct models to choose from, as data, in ascending quality; after them, those for iota. What the first
 * have in common: an architecture that the engine supports, no reasoning in the text of replies, and no recurrent layers,
 * whose state cannot be truncated to the prefix that two conversations share. Size and hash are read from the server when a file
 * is pulled, and take precedence. `docs/models.md` shows this table and says what was checked when; a test keeps the
 * two in step.
 */
import { isChatModelId, type ModelId } from "../../core/models.js";

export interface CatalogEntry {
  id: string;
  title: string;
  licence: string;
  architecture: string;
  parametersBillion: number;
  /** Those that take part in a token, where not all do: mixtures of experts, embeddings that are only looked up. */
  activeBillion?: number;
  uri: string;
  bytes: number;
  contextTokens: number;
  /**
   * From layers, heads and their length; see `memoryWith`. Layers that look at a sliding window count in full, those
   * that share another's cache not at all.
   */
  cacheBytesPerToken: number;
  /** Where it fits best: `lambda` for speed, `prism` in between, `omega` for the best answers. */
  suits: readonly ModelId[];
  goodFor: string;
}

const chatCatalog: readonly CatalogEntry[] = [
  {
    id: "gemma-3-1b",
    title: "Gemma 3 1B Instruct",
    licence: "Gemma Terms of Use",
    architecture: "gemma3",
    parametersBillion: 1,
    uri: "hf:bartowski/google_gemma-3-1b-it-GGUF/google_gemma-3-1b-it-Q4_K_M.gguf",
    bytes: 806_058_496,
    contextTokens: 32_768,
    cacheBytesPerToken: 26_624,
    suits: ["lambda"],
    goodFor: "Quick, short answers on the smallest machines.",
  },
  {
    id: "ministral-3-3b",
    title: "Ministral 3 3B Instruct 2512",
    licence: "Apache-2.0",
    architecture: "mistral3",
    parametersBillion: 3.4,
    uri: "hf:mistralai/Ministral-3-3B-Instruct-2512-GGUF/Ministral-3-3B-Instruct-2512-Q4_K_M.gguf",
    bytes: 2_147_023_008,
    contextTokens: 262_144,
    cacheBytesPerToken: 106_496,
    suits: ["lambda", "prism"],
    goodFor: "Chat in many languages, summaries, structured output.",
  },
  {
    id: "gemma-4-e2b",
    title: "Gemma 4 E2B Instruct",
    licence: "Apache-2.0",
    architecture: "gemma4",
    parametersBillion: 5.1,
    activeBillion: 2.3,
    uri: "hf:unsloth/gemma-4-E2B-it-GGUF/gemma-4-E2B-it-Q4_K_M.gguf",
    bytes: 3_106_738_272,
    contextTokens: 131_072,
    cacheBytesPerToken: 18_432,
    suits: ["lambda", "prism"],
    goodFor: "Many conversations at once with little memory.",
  },
  {
    id: "qwen3-4b",
    title: "Qwen3 4B Instruct 2507",
    licence: "Apache-2.0",
    architecture: "qwen3",
    parametersBillion: 4,
    uri: "hf:unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
    bytes: 2_497_281_120,
    contextTokens: 262_144,
    cacheBytesPerToken: 147_456,
    suits: ["prism", "omega"],
    goodFor: "The all-rounder for 8 GiB: reasoning, code, long texts.",
  },
  {
    id: "ministral-3-8b",
    title: "Ministral 3 8B Instruct 2512",
    licence: "Apache-2.0",
    architecture: "mistral3",
    parametersBillion: 8.4,
    uri: "hf:mistralai/Ministral-3-8B-Instruct-2512-GGUF/Ministral-3-8B-Instruct-2512-Q4_K_M.gguf",
    bytes: 5_198_911_904,
    contextTokens: 262_144,
    cacheBytesPerToken: 139_264,
    suits: ["prism", "omega"],
    goodFor: "Writing and following instructions in European languages.",
  },
  {
    id: "gemma-4-e4b",
    title: "Gemma 4 E4B Instruct",
    licence: "Apache-2.0",
    architecture: "gemma4",
    parametersBillion: 8,
    activeBillion: 4.5,
    uri: "hf:unsloth/gemma-4-E4B-it-GGUF/gemma-4-E4B-it-Q4_K_M.gguf",
    bytes: 4_977_169_568,
    contextTokens: 131_072,
    cacheBytesPerToken: 57_344,
    suits: ["prism", "omega"],
    goodFor: "Reasoning and knowledge at the speed of a 4B model.",
  },
  {
    id: "ministral-3-14b",
    title: "Ministral 3 14B Instruct 2512",
    licence: "Apache-2.0",
    architecture: "mistral3",
    parametersBillion: 13.5,
    uri: "hf:mistralai/Ministral-3-14B-Instruct-2512-GGUF/Ministral-3-14B-Instruct-2512-Q4_K_M.gguf",
    bytes: 8_239_593_024,
    contextTokens: 262_144,
    cacheBytesPerToken: 163_840,
    suits: ["omega"],
    goodFor: "Long documents, careful writing, structured output.",
  },
  {
    id: "gemma-4-12b",
    title: "Gemma 4 12B Instruct",
    licence: "Apache-2.0",
    architecture: "gemma4",
    parametersBillion: 11.9,
    uri: "hf:unsloth/gemma-4-12b-it-GGUF/gemma-4-12b-it-Q4_K_M.gguf",
    bytes: 7_121_861_440,
    contextTokens: 262_144,
    cacheBytesPerToken: 344_064,
    suits: ["omega"],
    goodFor: "Strong reasoning, knowledge and code in many languages.",
  },
  {
    id: "qwen3-30b-a3b",
    title: "Qwen3 30B-A3B Instruct 2507",
    licence: "Apache-2.0",
    architecture: "qwen3moe",
    parametersBillion: 30.5,
    activeBillion: 3.3,
    uri: "hf:unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF/Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf",
    bytes: 18_556_689_568,
    contextTokens: 262_144,
    cacheBytesPerToken: 98_304,
    suits: ["omega"],
    goodFor: "Code and mathematics; computes each token with 3.3B of it, so it is fast for its size.",
  },
  {
    id: "gemma-4-26b-a4b",
    title: "Gemma 4 26B-A4B Instruct",
    licence: "Apache-2.0",
    architecture: "gemma4",
    parametersBillion: 25.2,
    activeBillion: 3.8,
    uri: "hf:unsloth/gemma-4-26B-A4B-it-GGUF/gemma-4-26B-A4B-it-UD-Q4_K_M.gguf",
    bytes: 16_947_541_728,
    contextTokens: 262_144,
    cacheBytesPerToken: 225_280,
    suits: ["omega"],
    goodFor: "The strongest here; computes each token with 3.8B of it, so it is fast for its size.",
  },
];

/** Models that embed, and one that ranks. Most are encoders, which keep no cache: their inputs are computed whole. */
const embeddingCatalog: readonly (Omit<CatalogEntry, "suits" | "cacheBytesPerToken"> &
  Partial<CatalogEntry>)[] = [
  {
    id: "nomic-embed-v1.5",
    title: "Nomic Embed Text v1.5",
    licence: "Apache-2.0",
    architecture: "nomic-bert",
    parametersBillion: 0.137,
    uri: "hf:nomic-ai/nomic-embed-text-v1.5-GGUF/nomic-embed-text-v1.5.Q8_0.gguf",
    bytes: 146_146_432,
    contextTokens: 2048,
    goodFor: "English texts; vectors of 768 numbers that can be shortened.",
  },
  {
    id: "embedding-gemma",
    title: "EmbeddingGemma 300M",
    licence: "Gemma Terms of Use",
    architecture: "gemma-embedding",
    parametersBillion: 0.303,
    uri: "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf",
    bytes: 328_577_056,
    contextTokens: 2048,
    goodFor: "A hundred languages; vectors of 768 numbers that can be shortened.",
  },
  {
    id: "bge-m3",
    title: "BGE-M3",
    licence: "MIT",
    architecture: "bert",
    parametersBillion: 0.567,
    uri: "hf:gpustack/bge-m3-GGUF/bge-m3-Q8_0.gguf",
    bytes: 634_553_760,
    contextTokens: 8192,
    goodFor: "Long texts in a hundred languages; vectors of 1024 numbers.",
  },
  {
    id: "qwen3-embedding-0.6b",
    title: "Qwen3 Embedding 0.6B",
    licence: "Apache-2.0",
    architecture: "qwen3",
    parametersBillion: 0.596,
    uri: "hf:Qwen/Qwen3-Embedding-0.6B-GGUF/Qwen3-Embedding-0.6B-Q8_0.gguf",
    bytes: 639_150_592,
    contextTokens: 32_768,
    cacheBytesPerToken: 114_688,
    goodFor: "Languages and code; vectors of 1024 numbers that can be shortened.",
  },
  {
    id: "bge-reranker-v2-m3",
    title: "BGE Reranker v2 M3",
    licence: "Apache-2.0",
    architecture: "bert",
    parametersBillion: 0.568,
    uri: "hf:gpustack/bge-reranker-v2-m3-GGUF/bge-reranker-v2-m3-Q8_0.gguf",
    bytes: 635_676_416,
    contextTokens: 8192,
    goodFor: "Ranks documents by a query, in a hundred languages; does not embed.",
  },
];

export const catalog: readonly CatalogEntry[] = [
  ...chatCatalog,
  ...embeddingCatalog.map((entry) => ({ cacheBytesPerToken: 0, suits: ["iota"] as const, ...entry })),
];

/** Bytes of weights that a token reads, about. */
export const activeBytesOf = ({ bytes, parametersBillion, activeBillion }: CatalogEntry): number =>
  (bytes * (activeBillion ?? parametersBillion)) / parametersBillion;

/** What could serve the model: one that chats, or one that does not. */
export const entriesFor = (model: ModelId): CatalogEntry[] =>
  catalog.filter(({ suits }) => suits.some(isChatModelId) === isChatModelId(model));
