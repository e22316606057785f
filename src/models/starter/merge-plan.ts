/**
 * What becomes of each tensor when a correction is merged into a GGUF file, and where it will stand. A corrected
 * matrix becomes Q4_0; all others are copied as they are. The header keeps its length, since only numbers in it
 * change: types, offsets, the file type. The plan depends on the two headers alone, so every thread that works
 * on the file creates the same one.
 */
import { GgufError, roundUp, type GgufHeader, type GgufTensor } from "../gguf/gguf-header.js";
import { iq2xxsType, q40Type } from "../gguf/gguf-types.js";
import { canDequantise } from "./dequantise.js";

export interface MergePlan {
  /** In the order of their data. */
  tensors: readonly PlannedTensor[];
  bytes: number;
}

export interface PlannedTensor {
  tensor: GgufTensor;
  /** From the beginning of the tensors' data in the new file. */
  offset: number;
  bytes: number;
  /** Null for one that is copied. */
  correction: TensorCorrection | null;
}

/** Adds `factor` · coefficients · shared to a matrix. */
export interface TensorCorrection {
  rank: number;
  factor: number;
  /** `rank` numbers for each row of the matrix. */
  coefficients: GgufTensor;
  /** `rank` rows as long as the matrix's. */
  shared: GgufTensor;
  /** The shared half is stored with its columns as rows. */
  isTransposed: boolean;
}

/** Throws `GgufError` when the correction is not one for these weights. */
export function planMerge(base: GgufHeader, correction: GgufHeader): MergePlan {
  if (correction.fields.get("general.type") !== "adapter" || correction.fields.get("adapter.type") !== "lora")
    throw new GgufError("is not a correction: it does not say that it is a LoRA adapter");
  const alpha = correction.fields.get("adapter.lora.alpha");
  if (typeof alpha !== "number") throw new GgufError("is not a correction: it has no 'adapter.lora.alpha'");

  const parts = new Map(correction.tensors.map((tensor) => [tensor.name, tensor]));
  let offset = 0;
  const tensors = [...base.tensors]
    .sort((a, b) => a.offset - b.offset)
    .map((tensor): PlannedTensor => {
      const found = takeCorrection(tensor, parts, alpha);
      const bytes = found === null ? tensor.bytes : (tensor.values / 32) * 18;
      const planned = { tensor, offset, bytes, correction: found };
      offset += roundUp(bytes, base.alignment);
      return planned;
    });
  const [left] = parts.keys();
  if (left !== undefined) throw new GgufError(`corrects ${left}, which these weights do not have`);
  return { tensors, bytes: base.dataAt + offset };
}

/** Takes both halves out of `parts`. */
function takeCorrection(
  tensor: GgufTensor,
  parts: Map<string, GgufTensor>,
  alpha: number,
): TensorCorrection | null {
  const a = parts.get(`${tensor.name}.lora_a`);
  const b = parts.get(`${tensor.name}.lora_b`);
  if (a === undefined || b === undefined) return null;
  parts.delete(a.name);
  parts.delete(b.name);
  // llama.cpp looks embeddings up by token, so there the halves change places and one is stored transposed.
  const isEmbedding = tensor.name === "token_embd.weight";
  const [coefficients, shared] = isEmbedding ? [a, b] : [b, a];
  const [columns = 0, rows = 0] = tensor.dimensions;
  const [rank = 0, coefficientRows = 0] = coefficients.dimensions;
  const [sharedColumns = 0, sharedRows = 0] = isEmbedding
    ? [...shared.dimensions].reverse()
    : shared.dimensions;
  const fits = rank > 0 && coefficientRows === rows && sharedColumns === columns && sharedRows === rank;
  if (!fits || rows % 2 !== 0 || columns % 256 !== 0)
    throw new GgufError(`corrects ${tensor.name} in another shape than these weights have`);
  const isReadable = tensor.type === iq2xxsType || canDequantise(tensor.type);
  if (!isReadable || !canDequantise(a.type) || !canDequantise(b.type))
    throw new GgufError(`corrects ${tensor.name} in a type that cannot be merged here`);
  return { rank, factor: alpha / rank, coefficients, shared, isTransposed: isEmbedding };
}

/** The new header, from the bytes of the old one. */
export function plannedHeader(old: Buffer, base: GgufHeader, plan: MergePlan): Buffer {
  const bytes = Buffer.from(old.subarray(0, base.dataAt));
  for (const { tensor, offset, correction } of plan.tensors) {
    if (correction !== null) bytes.writeUInt32LE(q40Type, tensor.typeAt);
    bytes.writeBigUInt64LE(BigInt(offset), tensor.typeAt + 4);
  }
  const fileTypeAt = base.valueAt.get("general.file_type");
  // The file types happen to number Q4_0 as the tensor types do.
  if (fileTypeAt !== undefined) bytes.writeUInt32LE(q40Type, fileTypeAt);
  return bytes;
}
