/**
 * A BERT model that embeds, from its safetensors and its tokenizer to the parts of a GGUF file, as llama.cpp's own
 * converter writes them: matrices stay at 16 bits, everything that is added or normalised is widened to 32. The
 * vocabulary is WordPiece, in which llama.cpp marks the beginning of a word instead of its continuation.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import {
  bool,
  float32,
  type GgufFields,
  type GgufTensor,
  int32s,
  string,
  strings,
  tensorType,
  uint32,
} from "../../adapters/gguf-writer.js";
import { dequantise } from "../starter/dequantise.js";

interface BertSource {
  name: string;
  licence: string;
  weights: Buffer;
  tokenizer: string;
  config: string;
}

const configSchema = z.object({
  hidden_size: z.number(),
  intermediate_size: z.number(),
  layer_norm_eps: z.number(),
  max_position_embeddings: z.number(),
  num_attention_heads: z.number(),
  num_hidden_layers: z.number(),
  type_vocab_size: z.number(),
});

const tokenizerSchema = z.object({
  added_tokens: z.array(z.object({ id: z.number(), content: z.string(), special: z.boolean() })),
  // Its 30,000 entries are not looked at one by one: the file that comes of it has a known hash.
  model: z.object({ vocab: z.custom<Record<string, number>>((value) => typeof value === "object") }),
});

/** In turns, since a server does it while it serves others. */
export async function bertGguf(source: BertSource): Promise<{ fields: GgufFields; tensors: GgufTensor[] }> {
  const tokenizer: unknown = JSON.parse(source.tokenizer);
  await nextTurn();
  const fields = fieldsOf(source, tokenizerSchema.parse(tokenizer));
  const tensors: GgufTensor[] = [];
  for (const [name, tensor] of readSafetensors(source.weights)) {
    await nextTurn();
    tensors.push(...ggufTensor(name, tensor));
  }
  return { fields, tensors };
}

const fileTypeF16 = 1;
const poolingMean = 1;
const tokenKind = { normal: 1, control: 3 };

function fieldsOf(
  { name, licence, config }: BertSource,
  { added_tokens, model }: z.infer<typeof tokenizerSchema>,
): GgufFields {
  const shape = configSchema.parse(JSON.parse(config));
  const control = new Set(added_tokens.filter(({ special }) => special).map(({ id }) => id));
  const idOf = (content: string) => uint32(model.vocab[content] ?? 0);
  const tokens = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
  return [
    ["general.architecture", string("bert")],
    ["general.type", string("model")],
    ["general.name", string(name)],
    ["general.license", string(licence)],
    ["general.file_type", uint32(fileTypeF16)],
    ["bert.block_count", uint32(shape.num_hidden_layers)],
    ["bert.context_length", uint32(shape.max_position_embeddings)],
    ["bert.embedding_length", uint32(shape.hidden_size)],
    ["bert.feed_forward_length", uint32(shape.intermediate_size)],
    ["bert.attention.head_count", uint32(shape.num_attention_heads)],
    ["bert.attention.layer_norm_epsilon", float32(shape.layer_norm_eps)],
    ["bert.attention.causal", bool(false)],
    ["bert.pooling_type", uint32(poolingMean)],
    ["tokenizer.ggml.model", string("bert")],
    ["tokenizer.ggml.normalizer.lowercase", bool(true)],
    // The native code removes more than BERT's own tokenizer did, the vowels of Hindi among it: so the engine does it.
    ["tokenizer.ggml.normalizer.strip_accents", bool(false)],
    ["sotto.strip_accents", bool(true)],
    ["tokenizer.ggml.token_type_count", uint32(shape.type_vocab_size)],
    ["tokenizer.ggml.tokens", strings(tokens.map(([text, id]) => marked(text, control.has(id))))],
    [
      "tokenizer.ggml.token_type",
      int32s(tokens.map(([, id]) => (control.has(id) ? tokenKind.control : tokenKind.normal))),
    ],
    ["tokenizer.ggml.unknown_token_id", idOf("[UNK]")],
    // As the format spells it.
    ["tokenizer.ggml.seperator_token_id", idOf("[SEP]")],
    ["tokenizer.ggml.padding_token_id", idOf("[PAD]")],
    ["tokenizer.ggml.cls_token_id", idOf("[CLS]")],
    ["tokenizer.ggml.bos_token_id", idOf("[CLS]")],
    ["tokenizer.ggml.mask_token_id", idOf("[MASK]")],
  ];
}

function marked(text: string, isControl: boolean): string {
  if (isControl) return text;
  return text.startsWith("##") ? text.slice(2) : `▁${text}`;
}

const embeddingNames: Readonly<Record<string, string>> = {
  "embeddings.word_embeddings": "token_embd",
  "embeddings.position_embeddings": "position_embd",
  "embeddings.token_type_embeddings": "token_types",
  "embeddings.LayerNorm": "token_embd_norm",
};
const blockNames: Readonly<Record<string, string>> = {
  "attention.self.query": "attn_q",
  "attention.self.key": "attn_k",
  "attention.self.value": "attn_v",
  "attention.output.dense": "attn_output",
  "attention.output.LayerNorm": "attn_output_norm",
  "intermediate.dense": "ffn_up",
  "output.dense": "ffn_down",
  "output.LayerNorm": "layer_output_norm",
};

/** Null for what llama.cpp does without: the positions' numbers, and the head that predicted sentences in training. */
function ggufName(name: string): string | null {
  const [, path = "", kind = ""] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
  const embedding = embeddingNames[path];
  if (embedding !== undefined) return `${embedding}.${kind}`;
  const [, layer = "", part = ""] = /^encoder\.layer\.(\d+)\.(.*)$/.exec(path) ?? [];
  const block = blockNames[part];
  return block === undefined ? null : `blk.${layer}.${block}.${kind}`;
}

/** None for what has no name there. */
function ggufTensor(sourceName: string, { dtype, shape, data }: SafeTensor): GgufTensor[] {
  const name = ggufName(sourceName);
  if (name === null) return [];
  if (dtype !== "F16") throw new Error(`${sourceName} is not stored at 16 bits`);
  const dimensions = [...shape].reverse();
  const isMatrix = shape.length > 1 && !/^(position_embd|token_types)/.test(name);
  return [
    isMatrix
      ? { name, dimensions, type: tensorType.float16, data }
      : { name, dimensions, type: tensorType.float32, data: widened(data) },
  ];
}

function widened(halves: Buffer): Buffer {
  const floats = new Float32Array(halves.length / 2);
  dequantise(tensorType.float16, halves, floats);
  return Buffer.from(floats.buffer);
}

interface SafeTensor {
  dtype: string;
  /** The length of a row last. */
  shape: readonly number[];
  data: Buffer;
}

const tensorEntry = z.object({
  dtype: z.string(),
  shape: z.array(z.number()),
  data_offsets: z.tuple([z.number(), z.number()]),
});
const lengthBytes = 8;

/** The format is a length, a JSON directory of that length, then the tensors' bytes. */
function readSafetensors(file: Buffer): Map<string, SafeTensor> {
  const dataAt = lengthBytes + Number(file.readBigUInt64LE());
  const directory = JSON.parse(file.toString("utf8", lengthBytes, dataAt)) as Record<string, unknown>;
  delete directory.__metadata__;
  return new Map(
    Object.entries(directory).map(([name, value]) => {
      const { dtype, shape, data_offsets } = tensorEntry.parse(value);
      const [start, end] = data_offsets;
      return [name, { dtype, shape, data: file.subarray(dataAt + start, dataAt + end) }];
    }),
  );
}
