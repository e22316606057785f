import { open } from "node:fs/promises";

/** Every GGUF file begins with these four bytes; a download that failed begins with an error page. */
const magic = Buffer.from("GGUF");

export async function hasGgufMagic(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const start = Buffer.alloc(magic.length);
    await file.read(start, 0, magic.length, 0);
    return start.equals(magic);
  } finally {
    await file.close();
  }
}
