/**
 * Open-weight instruct models that are known to work well here, as data. Sizes are close but not exact: the
 * server is asked when a file is pulled, and its hash decides. `docs/models.md` shows this table, and a test
 * holds the two together.
 */
import type { ModelId } from "../protocol/models.js";
import { memoryNeed } from "./memory.js";

export interface CatalogEntry {
  /** What `sotto models pull` takes. */
  id: string;
  title: string;
  licence: string;
  /** In thousand millions. */
  parametersBillion: number;
  uri: string;
  bytes: number;
  contextTokens: number;
  /** From layers, heads and their length; see `memoryNeed`. */
  cacheBytesPerToken: number;
  /** Where it fits best: `lambda` for speed, `prism` in between, `omega` for the best answers. */
  suits: readonly ModelId[];
}

export const catalog: readonly CatalogEntry[] = [
  {
    id: "qwen2.5-0.5b",
    title: "Qwen2.5 0.5B Instruct",
    licence: "Apache-2.0",
    parametersBillion: 0.5,
    uri: "hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf",
    bytes: 491_000_000,
    contextTokens: 32_768,
    cacheBytesPerToken: 12_288,
    suits: ["lambda"],
  },
  {
    id: "tinyllama-1.1b",
    title: "TinyLlama 1.1B Chat v1.0",
    licence: "Apache-2.0",
    parametersBillion: 1.1,
    uri: "hf:TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF/tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf",
    bytes: 669_000_000,
    contextTokens: 2_048,
    cacheBytesPerToken: 22_528,
    suits: ["lambda"],
  },
  {
    id: "qwen2.5-1.5b",
    title: "Qwen2.5 1.5B Instruct",
    licence: "Apache-2.0",
    parametersBillion: 1.5,
    uri: "hf:Qwen/Qwen2.5-1.5B-Instruct-GGUF/qwen2.5-1.5b-instruct-q4_k_m.gguf",
    bytes: 1_117_000_000,
    contextTokens: 32_768,
    cacheBytesPerToken: 28_672,
    suits: ["lambda", "prism"],
  },
  {
    id: "llama-3.2-3b",
    title: "Llama 3.2 3B Instruct",
    licence: "Llama 3.2 Community",
    parametersBillion: 3.2,
    uri: "hf:bartowski/Llama-3.2-3B-Instruct-GGUF/Llama-3.2-3B-Instruct-Q4_K_M.gguf",
    bytes: 2_020_000_000,
    contextTokens: 131_072,
    cacheBytesPerToken: 114_688,
    suits: ["prism"],
  },
  {
    id: "qwen3-4b",
    title: "Qwen3 4B Instruct 2507",
    licence: "Apache-2.0",
    parametersBillion: 4,
    uri: "hf:unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
    bytes: 2_497_000_000,
    contextTokens: 262_144,
    cacheBytesPerToken: 147_456,
    suits: ["prism", "omega"],
  },
  {
    id: "mistral-7b",
    title: "Mistral 7B Instruct v0.3",
    licence: "Apache-2.0",
    parametersBillion: 7.2,
    uri: "hf:bartowski/Mistral-7B-Instruct-v0.3-GGUF/Mistral-7B-Instruct-v0.3-Q4_K_M.gguf",
    bytes: 4_373_000_000,
    contextTokens: 32_768,
    cacheBytesPerToken: 131_072,
    suits: ["omega"],
  },
  {
    id: "qwen2.5-7b",
    title: "Qwen2.5 7B Instruct",
    licence: "Apache-2.0",
    parametersBillion: 7.6,
    uri: "hf:bartowski/Qwen2.5-7B-Instruct-GGUF/Qwen2.5-7B-Instruct-Q4_K_M.gguf",
    bytes: 4_683_000_000,
    contextTokens: 32_768,
    cacheBytesPerToken: 57_344,
    suits: ["omega"],
  },
  {
    id: "llama-3.1-8b",
    title: "Llama 3.1 8B Instruct",
    licence: "Llama 3.1 Community",
    parametersBillion: 8,
    uri: "hf:bartowski/Meta-Llama-3.1-8B-Instruct-GGUF/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf",
    bytes: 4_921_000_000,
    contextTokens: 131_072,
    cacheBytesPerToken: 131_072,
    suits: ["omega"],
  },
];

/** With the engine's usual room for conversations. */
export const memoryOf = (entry: CatalogEntry): number => memoryNeed(entry).usualBytes;
