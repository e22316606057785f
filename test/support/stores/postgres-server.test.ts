import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createOpenFolder } from "../processes/run-folder.js";
import { copyPostgresPrograms } from "./postgres-programs.js";
import { TestPostgres } from "./postgres-server.js";

let folder: string;
beforeEach(() => {
  folder = createOpenFolder("sotto-programs-");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const isOpen = (path: string): boolean => {
  const stat = statSync(path);
  const needed = stat.isDirectory() ? 0o005 : 0o004;
  return (stat.mode & needed) === needed;
};
const openUpTo = (path: string): boolean =>
  dirname(path) === path || ((statSync(path).mode & 0o001) !== 0 && openUpTo(dirname(path)));

it("runs from one copy that every user can read, whoever asks first", async () => {
  vi.stubEnv("SOTTO_TEST_RUN_FOLDER", folder);
  const copies = await Promise.all(["a", "b"].map(copyPostgresPrograms));
  expect(copies).toEqual(Array(2).fill(join(folder, "postgres/native/bin")));
  expect(readdirSync(folder)).toEqual(["postgres"]);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !isOpen(path))).toEqual([]);
  expect(openUpTo(folder)).toBe(true);
});

it("is in a folder that every user may enter, also when TMPDIR is closed to others", () => {
  const closed = join(folder, "closed");
  mkdirSync(closed, { mode: 0o700 });
  vi.stubEnv("TMPDIR", closed);
  const created = createOpenFolder("sotto-open-");
  expect(openUpTo(created)).toBe(true);
  rmSync(created, { recursive: true });
});

it("reports what Postgres says when it does not start", async () => {
  const started = TestPostgres.start(["-c", "no_such_setting=1"]);
  await expect(started).rejects.toThrow('unrecognized configuration parameter "no_such_setting"');
});
