import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { starterMirror } from "./starter-mirror.js";
import { ensureStarterWeights, findStarter, type StarterWeights } from "./starter/starter.js";
import { WeightsError } from "./weights-error.js";

const whole = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(100_000, "weights")]);
const sha256 = createHash("sha256").update(whole).digest("hex");
const weights: StarterWeights = {
  fileName: "small.gguf",
  sha256,
  parts: [{ name: "part1", bytes: whole.length, sha256 }],
};

let folder: string;
let mirror: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-mirrored-"));
  mirror = await mkdtemp(join(tmpdir(), "sotto-mirror-"));
  await writeFile(join(mirror, "small.gguf"), whole);
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
  await rm(mirror, { recursive: true, force: true });
});

async function serve(): Promise<string> {
  server = createServer((request, response) => {
    readFile(join(mirror, request.url ?? "")).then(
      (bytes) => response.writeHead(200, { "content-length": bytes.length }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ensure = (source: string | undefined) =>
  ensureStarterWeights(folder, { weights, locatePart: () => null, fetch: starterMirror(source) });

describe("starter weights from a mirror", () => {
  it.each([
    ["a folder", async () => pathToFileURL(mirror).href],
    ["a web server", serve],
  ])("come from %s when their packages are not installed", async (_, source) => {
    const path = await ensure(await source());
    expect((await readFile(path)).equals(whole)).toBe(true);
    expect(await readdir(join(folder, "models"))).toEqual(["small.gguf", "small.gguf.verified.json"]);
  });

  it.each([
    ["a folder", async () => pathToFileURL(mirror).href],
    ["a web server", serve],
  ])("are refused from %s with other bytes, and nothing is left", async (_, source) => {
    const changed = Buffer.from(whole);
    changed.write("x", 5_000);
    await writeFile(join(mirror, "small.gguf"), changed);
    await expect(ensure(await source())).rejects.toThrow(WeightsError);
    expect(await readdir(join(folder, "models"))).toEqual([]);
  });

  it("are named when they are not there", async () => {
    await rm(join(mirror, "small.gguf"));
    await expect(ensure(pathToFileURL(mirror).href)).rejects.toThrow(/small\.gguf cannot be read/);
    await expect(ensure(await serve())).rejects.toThrow(/no small\.gguf \(404\)/);
  });

  it("count as installed for whoever only looks", async () => {
    const look = (source: string | undefined) =>
      findStarter(folder, true, { weights, locatePart: () => null, fetch: starterMirror(source) });
    expect(await look(undefined)).toEqual({ type: "missing" });
    expect(await look("https://files.example.com/starter")).toEqual({ type: "installed" });
  });

  it("are not fetched while their packages are installed", async () => {
    const path = await ensureStarterWeights(folder, {
      weights,
      locatePart: () => join(mirror, "small.gguf"),
      fetch: () => Promise.reject(new Error("fetched")),
    });
    expect((await readFile(path)).equals(whole)).toBe(true);
  });
});
