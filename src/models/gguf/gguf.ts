/**
 * What a GGUF file is, from its header alone: nothing is loaded. A model may be split over several files that
 * stand side by side (`…-00001-of-00003.gguf`); the first one names the whole.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { cacheBytesPerToken, takesQuantisedCache, type AttentionShape } from "../../adapters/kv-cache.js";
import { fileTypeName, tensorTypes } from "./gguf-types.js";
import { GgufError, needMore, parseGgufHeader, type GgufHeader } from "./gguf-header.js";

/** Every GGUF file begins with these four bytes; a download that failed begins with an error page. */
export const ggufMagic = Buffer.from("GGUF");

export const hasGgufMagic = async (path: string): Promise<boolean> =>
  (await readStart(path, ggufMagic.length)).equals(ggufMagic);

const readStart = (path: string, length: number): Promise<Buffer> =>
  buffer(createReadStream(path, { end: Math.max(0, length - 1), highWaterMark: 1024 * 1024 }));

export interface WeightsFacts {
  architecture: string;
  name: string | null;
  /** As the file writes it, such as apache-2.0. */
  licence: string | null;
  /** As the file calls it, such as Q4_K_M. */
  quantisation: string;
  parameters: number;
  /** Of all files together. */
  bytes: number;
  /** Of the weights that take part in a token. */
  activeBytes: number;
  contextTokens: number | null;
  hasChatTemplate: boolean;
  ranks: boolean;
  /** Bytes that one token takes in the KV cache, at 16 bits. */
  cacheBytesPerToken: number;
  /** Its heads can be divided into the blocks of a quantised cache. */
  takesQuantisedCache: boolean;
}

/** Throws `GgufError` when the file is no GGUF file, or is not whole. */
export async function readWeightsFacts(path: string): Promise<WeightsFacts> {
  const files = splitFiles(path);
  const headers: GgufHeader[] = [];
  let bytes = 0;
  for (const file of files) {
    const part = await readWholeHeader(file).catch((error: unknown) => {
      throw files.length > 1 && error instanceof GgufError
        ? new GgufError(`is split, and ${basename(file)} ${error.message}`)
        : error;
    });
    headers.push(part.header);
    bytes += part.bytes;
  }
  const [first] = headers;
  if (first === undefined) throw new GgufError("has no parts");
  const tensors = headers.flatMap((header) => header.tensors);
  if (tensors.length === 0) throw new GgufError("holds no weights");
  const architecture = textOf(first, "general.architecture");
  if (architecture === null) throw new GgufError("does not say which architecture it has");
  return {
    architecture,
    name: textOf(first, "general.name"),
    licence: textOf(first, "general.license"),
    quantisation: fileTypeName(numberOf(first, "general.file_type")) ?? findDominantType(tensors),
    parameters: tensors.reduce((sum, tensor) => sum + tensor.values, 0),
    bytes,
    activeBytes: activeBytesOf(tensors, first, architecture),
    contextTokens: numberOf(first, `${architecture}.context_length`) ?? null,
    hasChatTemplate: textOf(first, "tokenizer.chat_template") !== null,
    ranks: tensors.some(({ name }) => name === "cls.weight" || name === "cls.output.weight"),
    ...cacheOf(first, architecture),
  };
}

/** Of files that pages asked for, until they change. */
const known = new Map<string, { stamp: string; facts: WeightsFacts }>();

/** For pages, which ask often: null when the file cannot be read. */
export async function shownFacts(path: string): Promise<WeightsFacts | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const stamp = `${found.size} ${found.mtimeMs}`;
  const kept = known.get(path);
  if (kept?.stamp === stamp) return kept.facts;
  const facts = await readWeightsFacts(path).catch(() => null);
  if (facts === null) return null;
  // A few models are asked for: a handful of files at most.
  if (known.size >= 16) known.clear();
  known.set(path, { stamp, facts });
  return facts;
}

/** The header of one file, with its size checked against what the header says is in it. */
export async function readWholeHeader(path: string): Promise<{ header: GgufHeader; bytes: number }> {
  const { size: bytes } = await stat(path).catch((error: unknown) => {
    throw error instanceof Error && "code" in error && error.code === "ENOENT"
      ? new GgufError("does not exist")
      : error;
  });
  const header = await readHeader(path, bytes);
  const end = Math.max(0, ...header.tensors.map(({ offset, bytes }) => header.dataAt + offset + bytes));
  if (end > bytes) throw new GgufError(`is truncated: it has ${bytes} bytes, and its tensors end at ${end}`);
  return { header, bytes };
}

const firstRead = 2 * 1024 * 1024;
const largestHeader = 256 * 1024 * 1024;

async function readHeader(path: string, fileBytes: number): Promise<GgufHeader> {
  for (let length = firstRead; ; length *= 4) {
    const start = await readStart(path, Math.min(length, fileBytes));
    const header = parseGgufHeader(start);
    if (header !== needMore) return header;
    if (start.length === fileBytes) throw new GgufError(truncatedHeader(start));
    if (start.length > largestHeader) throw new GgufError("has a header that is too large to be one");
  }
}

const truncatedHeader = (start: Buffer): string =>
  start.length < ggufMagic.length
    ? "is not a GGUF file: it does not begin with 'GGUF'"
    : `is truncated: its ${start.length} bytes end within its header`;

const splitName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;
const mostSplits = 1000;

/** All files of the model that `path` is the first of; `path` alone when it is not split. */
export function splitFiles(path: string): string[] {
  const [, prefix = "", number, count] = splitName.exec(basename(path)) ?? [];
  if (number === undefined || count === undefined) return [path];
  if (Number(number) !== 1)
    throw new GgufError(`is part ${Number(number)} of a split model: name its part 1`);
  if (Number(count) < 1 || Number(count) > mostSplits) throw new GgufError(`says it has ${count} parts`);
  return Array.from({ length: Number(count) }, (_, index) =>
    join(dirname(path), `${prefix}-${String(index + 1).padStart(5, "0")}-of-${count}.gguf`),
  );
}

/** Without embeddings, of which a row is looked up, and without the experts that are not asked. */
function activeBytesOf(tensors: GgufHeader["tensors"], header: GgufHeader, architecture: string): number {
  const experts = numberOf(header, `${architecture}.expert_count`) ?? 0;
  const asked = numberOf(header, `${architecture}.expert_used_count`) ?? experts;
  const hasOutput = tensors.some(({ name }) => name === "output.weight");
  const share = (name: string): number => {
    if (name === "token_embd.weight") return hasOutput ? 0 : 1;
    if (name.startsWith("per_layer_token_embd")) return 0;
    return name.includes("_exps.") && experts > 0 ? asked / experts : 1;
  };
  return tensors.reduce((sum, { name, bytes }) => sum + bytes * share(name), 0);
}

function findDominantType(tensors: GgufHeader["tensors"]): string {
  const values = new Map<number, number>();
  for (const { type, values: count } of tensors) values.set(type, (values.get(type) ?? 0) + count);
  const [most] = [...values].sort(([, a], [, b]) => b - a);
  return tensorTypes.get(most?.[0] ?? -1)?.name ?? "unknown";
}

/** An architecture that keeps no such cache, or says too little, counts as needing none. */
function cacheOf(
  header: GgufHeader,
  architecture: string,
): Pick<WeightsFacts, "cacheBytesPerToken" | "takesQuantisedCache"> {
  const field = (name: string) => numberOf(header, `${architecture}.${name}`);
  const heads = field("attention.head_count") ?? 1;
  const given = header.fields.get(`${architecture}.attention.head_count_kv`) ?? heads;
  const shape: AttentionShape = {
    layers: field("block_count") ?? 0,
    embeddingLength: field("embedding_length") ?? 0,
    heads,
    keyValueHeads: typeof given === "object" ? given : Number(given),
    keyLength: field("attention.key_length"),
    valueLength: field("attention.value_length"),
  };
  const bytes = cacheBytesPerToken(shape, "f16");
  return {
    cacheBytesPerToken: Number.isFinite(bytes) && bytes > 0 ? bytes : 0,
    takesQuantisedCache: takesQuantisedCache(shape),
  };
}

function numberOf(header: GgufHeader, name: string): number | undefined {
  const value = header.fields.get(name);
  return typeof value === "number" ? value : undefined;
}

function textOf(header: GgufHeader, name: string): string | null {
  const value = header.fields.get(name);
  return typeof value === "string" ? value : null;
}
