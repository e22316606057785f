/**
 * Writes a model file of a few hundred kilobytes that embeds, or ranks: a BERT with random weights and a WordPiece
 * vocabulary of single characters. The same options give the same file and the same vectors.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  bool,
  float32,
  ggufFile,
  string,
  tensorType,
  uint32,
  type GgufTensor,
  type GgufValue,
  strings,
  int32s,
} from "../../../src/adapters/gguf-writer.js";
import { loadConfig } from "../../../src/config.js";
import { extensionFile } from "../../../src/engines/llama/extension/extension-file.js";
import { LlamaEngine, type LlamaEngineOptions } from "../../../src/engines/llama/host/llama-engine.js";
import type { LlamaEvent } from "../../../src/engines/llama/host/supervisor.js";
import { testDefaults } from "./model-defaults.js";
import type { TinyEngine } from "./tiny-engine.js";
import { normalNumbers } from "./tiny-gguf.js";

export interface TinyEmbedder {
  /** How many times as wide and as deep; 1 by default. */
  scale?: number;
  contextTokens?: number;
  /** With a head that ranks. */
  ranks?: boolean;
  name?: string;
}

export const tinyDimensions = 64;

/** The real engine in a real child process, on such a model. It answers for `omega`. */
export function startTinyEmbedder(
  model: TinyEmbedder = {},
  options: Partial<LlamaEngineOptions> = {},
): TinyEngine {
  const folder = mkdtempSync(join(tmpdir(), "sotto-tiny-"));
  const weights = join(folder, "tiny-embedder.gguf");
  writeTinyEmbedder(weights, model);
  const settings = loadConfig({ env: {} });
  const events: LlamaEvent[] = [];
  const engine = new LlamaEngine({
    weights,
    task: model.ranks === true ? "rank" : "embed",
    models: { omega: testDefaults },
    config: settings.engine,
    extension: extensionFile(settings),
    workerFile: resolve("dist/worker.js"),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const dispose = async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { engine, events, dispose };
}

export function writeTinyEmbedder(path: string, options: TinyEmbedder = {}): void {
  const { contextTokens = 128, ranks = false, name = "tiny" } = options;
  const { width, heads, layers, hidden } = shapeOf(options);
  const tokens = vocabulary();
  const fields: [key: string, value: GgufValue][] = [
    ["general.architecture", string("bert")],
    ["general.name", string(name)],
    ["general.file_type", uint32(0)],
    ["bert.block_count", uint32(layers)],
    ["bert.context_length", uint32(contextTokens)],
    ["bert.embedding_length", uint32(width)],
    ["bert.feed_forward_length", uint32(hidden)],
    ["bert.attention.head_count", uint32(heads)],
    ["bert.attention.layer_norm_epsilon", float32(1e-12)],
    ["bert.attention.causal", bool(false)],
    ["bert.pooling_type", uint32(ranks ? poolingType.rank : poolingType.mean)],
    ["tokenizer.ggml.model", string("bert")],
    ["tokenizer.ggml.token_type_count", uint32(1)],
    ["tokenizer.ggml.tokens", strings(tokens)],
    ["tokenizer.ggml.token_type", int32s(tokens.map((_, id) => (id < special.length ? 3 : 1)))],
    ["tokenizer.ggml.padding_token_id", uint32(special.indexOf("[PAD]"))],
    ["tokenizer.ggml.unknown_token_id", uint32(special.indexOf("[UNK]"))],
    ["tokenizer.ggml.bos_token_id", uint32(special.indexOf("[CLS]"))],
    ["tokenizer.ggml.seperator_token_id", uint32(special.indexOf("[SEP]"))],
    ["tokenizer.ggml.mask_token_id", uint32(special.indexOf("[MASK]"))],
  ];
  writeFileSync(path, ggufFile(fields, tensors(tokens.length, options)));
}

const poolingType = { mean: 1, rank: 4 };
const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** Each character at the beginning of a word, and within one. */
function vocabulary(): string[] {
  const characters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
  const lowercase = characters.filter((character) => character === character.toLowerCase());
  return [...special, ...lowercase.map((character) => `▁${character}`), ...lowercase];
}

const shapeOf = ({ scale = 1 }: TinyEmbedder) => ({
  width: tinyDimensions * scale,
  heads: 2 * scale,
  layers: 2 * scale,
  hidden: 2 * tinyDimensions * scale,
});

function tensors(tokens: number, options: TinyEmbedder): GgufTensor[] {
  const { contextTokens = 128, ranks = false } = options;
  const { width, layers, hidden } = shapeOf(options);
  const random = normalNumbers(1);
  const tensor = (name: string, dimensions: number[], value: () => number): GgufTensor => {
    const count = dimensions.reduce((product, length) => product * length, 1);
    const data = Buffer.from(Float32Array.from({ length: count }, value).buffer);
    return { name, dimensions, type: tensorType.float32, data };
  };
  const matrix = (name: string, columns: number, rows: number) =>
    tensor(`${name}.weight`, [columns, rows], () => random() / Math.sqrt(columns));
  const biased = (name: string, columns: number, rows: number) => [
    matrix(name, columns, rows),
    tensor(`${name}.bias`, [rows], () => random() / 10),
  ];
  const norm = (name: string) => [
    tensor(`${name}.weight`, [width], () => 1),
    tensor(`${name}.bias`, [width], () => 0),
  ];
  const blocks = Array.from({ length: layers }, (_, index) => {
    const block = (name: string) => `blk.${index}.${name}`;
    return [
      ...["attn_q", "attn_k", "attn_v", "attn_output"].flatMap((name) => biased(block(name), width, width)),
      ...norm(block("attn_output_norm")),
      ...biased(block("ffn_up"), width, hidden),
      ...biased(block("ffn_down"), hidden, width),
      ...norm(block("layer_output_norm")),
    ];
  });
  return [
    tensor("token_embd.weight", [width, tokens], random),
    tensor("position_embd.weight", [width, contextTokens], () => random() / 4),
    tensor("token_types.weight", [width, 1], () => 0),
    ...norm("token_embd_norm"),
    ...blocks.flat(),
    ...(ranks ? [...biased("cls", width, width), ...biased("cls.output", width, 1)] : []),
  ];
}
