/** Reads files in the format of safetensors: a length, a JSON directory of that length, then the tensors' bytes. */
import * as z from "zod";

export interface SafeTensor {
  dtype: string;
  /** The length of a row last. */
  shape: readonly number[];
  data: Buffer;
}

const entry = z.object({
  dtype: z.string(),
  shape: z.array(z.number()),
  data_offsets: z.tuple([z.number(), z.number()]),
});
const lengthBytes = 8;

export function readSafetensors(file: Buffer): Map<string, SafeTensor> {
  const dataAt = lengthBytes + Number(file.readBigUInt64LE());
  const directory = JSON.parse(file.toString("utf8", lengthBytes, dataAt)) as Record<string, unknown>;
  delete directory.__metadata__;
  return new Map(
    Object.entries(directory).map(([name, value]) => {
      const { dtype, shape, data_offsets } = entry.parse(value);
      const [start, end] = data_offsets;
      return [name, { dtype, shape, data: file.subarray(dataAt + start, dataAt + end) }];
    }),
  );
}
