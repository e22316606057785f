/**
 * Merges one tensor: reads it from the base, corrects it, and writes it where the plan puts it. Threads share only the
 * files, and each tensor has its own range of bytes, so no synchronisation is needed. Buffers are a few megabytes
 * whatever the size of the tensor.
 */
import { open, type FileHandle } from "node:fs/promises";
import { readWholeHeader } from "../gguf/gguf.js";
import { GgufError, type GgufHeader, type GgufTensor } from "../gguf/gguf-header.js";
import { dequantise } from "./dequantise.js";
import { openMergeKernel, rowsAtOnce, type MergeKernel } from "./merge-kernel.js";
import { planMerge, type PlannedTensor, type TensorCorrection } from "./merge-plan.js";

export interface MergeFiles {
  base: string;
  correction: string;
  /** Exists already, with its header. */
  target: string;
  /** The program of the kernel. */
  kernel: Uint8Array<ArrayBuffer>;
}

/** The files stay open as long as the thread. The returned function takes the index of a tensor in the plan. */
export async function openTensorMerger(given: MergeFiles): Promise<(index: number) => Promise<void>> {
  const { header } = await readWholeHeader(given.base);
  const { header: correctionHeader } = await readWholeHeader(given.correction);
  const { tensors } = planMerge(header, correctionHeader);
  const kernel = await openMergeKernel(given.kernel);
  const files: OpenFiles = {
    base: { file: await open(given.base), header },
    correction: { file: await open(given.correction), header: correctionHeader },
    target: await open(given.target, "r+"),
  };
  return async (index) => {
    const planned = tensors[index];
    if (planned === undefined) throw new RangeError(`there is no tensor ${index}`);
    if (planned.correction === null) await copy(files, planned);
    else await correct(files, planned, planned.correction, kernel);
  };
}

interface OpenGguf {
  file: FileHandle;
  header: GgufHeader;
}

interface OpenFiles {
  base: OpenGguf;
  correction: OpenGguf;
  target: FileHandle;
}

const copiedAtOnce = 2 * 1024 * 1024;

async function copy({ base, target }: OpenFiles, { tensor, offset }: PlannedTensor): Promise<void> {
  const buffer = new Uint8Array(Math.min(tensor.bytes, copiedAtOnce));
  for (let done = 0; done < tensor.bytes; done += buffer.length) {
    const piece = buffer.subarray(0, Math.min(buffer.length, tensor.bytes - done));
    await readExactly(base.file, piece, base.header.dataAt + tensor.offset + done);
    await writeAll(target, piece, base.header.dataAt + offset + done);
  }
}

async function correct(
  { base, correction, target }: OpenFiles,
  { tensor, offset }: PlannedTensor,
  { rank, factor, coefficients, shared, isTransposed }: TensorCorrection,
  kernel: MergeKernel,
): Promise<void> {
  const [columns = 0, rows = 0] = tensor.dimensions;
  const sharedValues = await readValues(correction, shared);
  kernel.begin({
    columns,
    rank,
    type: tensor.type,
    shared: isTransposed ? transposed(sharedValues, columns, rank) : sharedValues,
  });
  const all = (await readValues(correction, coefficients)).map((value) => value * factor);
  const rowBytes = tensor.bytes / rows;
  const buffer = new Uint8Array(rowsAtOnce * rowBytes);
  let at = base.header.dataAt + offset;
  for (let row = 0; row < rows; row += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - row);
    const piece = buffer.subarray(0, count * rowBytes);
    await readExactly(base.file, piece, base.header.dataAt + tensor.offset + row * rowBytes);
    const merged = kernel.mergeRows(piece, all.subarray(row * rank, (row + count) * rank));
    await writeAll(target, merged, at);
    at += merged.length;
  }
}

async function readValues({ file, header }: OpenGguf, tensor: GgufTensor): Promise<Float32Array> {
  const bytes = new Uint8Array(tensor.bytes);
  await readExactly(file, bytes, header.dataAt + tensor.offset);
  const values = new Float32Array(tensor.values);
  dequantise(tensor.type, bytes, values);
  return values;
}

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = values[row * columns + column] ?? 0;
  return result;
}

async function readExactly(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, at + done);
    if (bytesRead === 0) throw new GgufError("became shorter while it was read");
    done += bytesRead;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
