/** The Chromium that comes from npm, unpacked once for every checkout. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import sparticuz from "@sparticuz/chromium";

const folder = join(import.meta.dirname, "../../node_modules/.cache/sotto-chromium");

export async function chromiumFromNpm(): Promise<string> {
  if (!existsSync(folder)) await unpack();
  return join(folder, "chromium");
}

async function unpack(): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  const temporary = process.env.TMPDIR;
  // The package has no other setting for where it goes.
  process.env.TMPDIR = unfinished;
  try {
    await sparticuz.executablePath();
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
}
