import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readServiceKey, serviceKeyFile } from "./service-key.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sotto-service-key-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("creates a key for this user alone, once", () => {
  const dataDir = join(folder, "data");
  const key = readServiceKey(undefined, dataDir);
  expect(key).toHaveLength(32);
  expect(readServiceKey(undefined, dataDir)).toEqual(key);
  expect(statSync(serviceKeyFile(dataDir)).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["service.key"]);
});

it("takes a configured key instead and writes nothing", () => {
  expect(readServiceKey("k".repeat(32), folder).toString()).toBe("k".repeat(32));
  expect(readdirSync(folder)).toEqual([]);
});

it("does not replace a file that is damaged", () => {
  writeFileSync(serviceKeyFile(folder), "short");
  expect(() => readServiceKey(undefined, folder)).toThrow("is not a service key");
});
