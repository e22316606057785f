import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { MarkSearch, newMark } from "../../core/proof/marks.js";
import { searchFiles } from "./search-files.js";

const { signal } = new AbortController();
const newFolder = () => mkdtempSync(join(tmpdir(), "sotto-search-"));

it("finds a mark in a file at any depth, and in a compressed one", async () => {
  const [folder, mark] = [newFolder(), newMark()];
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  writeFileSync(join(folder, "clean.log"), "nothing");
  writeFileSync(join(folder, "a", "b", "leak.log"), `request ${mark}`);
  const members = [gzipSync("first"), gzipSync(`second ${mark}`)];
  writeFileSync(join(folder, "leak.log.1.gz"), Buffer.concat(members));
  const { hits, files, gaps } = await searchFiles(folder, { search: new MarkSearch([mark]), signal });
  const found = new Set(hits.map(({ path }) => path));
  expect(found).toEqual(new Set([join(folder, "a", "b", "leak.log"), join(folder, "leak.log.1.gz")]));
  expect({ files, gaps }).toEqual({ files: 3, gaps: [] });
});

it("says what it did not look at", async () => {
  const [folder, mark] = [newFolder(), newMark()];
  writeFileSync(join(folder, "large"), `${"x".repeat(3_000_000)}${mark}`);
  const search = new MarkSearch([mark]);
  const cut = await searchFiles(folder, { search, signal, limits: { fileBytes: 2_000_000 } });
  expect(cut).toMatchObject({ hits: [], gaps: [`${join(folder, "large")} after its first 2000000 bytes`] });
  const absent = await searchFiles(join(folder, "absent"), { search, signal });
  expect(absent.gaps).toEqual([`${join(folder, "absent")} (ENOENT)`]);
  writeFileSync(join(folder, "broken.gz"), gzipSync("text").subarray(0, 12));
  const broken = await searchFiles(join(folder, "broken.gz"), { search, signal });
  expect(broken.gaps).toHaveLength(1);
});

it("leaves out what it is told to, and follows no link", async () => {
  const [folder, mark] = [newFolder(), newMark()];
  writeFileSync(join(folder, "old"), mark);
  symlinkSync("/", join(folder, "link"));
  const search = new MarkSearch([mark]);
  const skip = (path: string) => path.endsWith("old");
  expect(await searchFiles(folder, { search, signal, skip })).toMatchObject({ hits: [], files: 0, gaps: [] });
});
