import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindingVersion } from "../../binding-package.js";
import { installLibrary, type InstallOptions } from "./install-library.js";
import { librariesFolder, ownLibrary } from "./own-library.js";
import { prebuiltLibrary } from "./pinned-packages.js";
import { ToolError } from "./run-tool.js";

const library = {
  package: "@node-llama-cpp/some-cuda",
  path: "bins/some-cuda/libggml-cuda.so",
  made: "for CUDA 13",
};

let dataDir: string;
let archive: Buffer;
let server: Server | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sotto-install-"));
  const made = join(dataDir, "made");
  const file = join(made, "package", library.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "the library");
  writeFileSync(join(made, "package", "package.json"), "{}");
  execFileSync("tar", ["-czf", join(dataDir, "made.tgz"), "-C", made, "package"]);
  archive = readFileSync(join(dataDir, "made.tgz"));
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
  server = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

/** A registry; also what it was asked for. */
async function registry(answer: RequestListener) {
  const asked: (string | undefined)[] = [];
  server = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { asked, from: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/` };
}

const serving: RequestListener = (_, response) => {
  response.writeHead(200, { "content-length": archive.length }).end(archive);
};

const install = (changes: Partial<InstallOptions>) =>
  installLibrary({
    dataDir,
    backend: "cuda",
    cuda: "13",
    from: "http://127.0.0.1:1/",
    signal: new AbortController().signal,
    now: () => new Date("2026-01-31T09:05:00Z"),
    pinned: { [library.package]: `sha512-${createHash("sha512").update(archive).digest("base64")}` },
    library,
    ...changes,
  });

const left = (): string[] => {
  const folder = librariesFolder(dataDir);
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe("installing a GPU library", () => {
  it("takes one file of the binding's package, where a built one would be", async () => {
    const { asked, from } = await registry(serving);
    const progress: [number, number | null][] = [];
    const installed = await install({ from, onProgress: (...step) => progress.push(step) });
    expect(asked).toEqual([`/npm/@node-llama-cpp/some-cuda/-/some-cuda-${bindingVersion()}.tgz`]);
    expect(installed.wasHere).toBe(false);
    expect(readFileSync(installed.library.file, "utf8")).toBe("the library");
    expect(ownLibrary(dataDir, "cuda")).toMatchObject({ from: "installed", made: "for CUDA 13" });
    expect(progress.at(-1)).toEqual([archive.length, archive.length]);
    expect(left()).toEqual(["cuda"]);
  });

  it("downloads nothing when it is there, and another one when that is asked for", async () => {
    const { asked, from } = await registry(serving);
    await install({ from });
    expect(await install({ from })).toMatchObject({ wasHere: true });
    expect(asked).toHaveLength(1);
    await install({ from, library: { ...library, made: "for CUDA 12" } });
    expect(asked).toHaveLength(2);
    expect(ownLibrary(dataDir, "cuda")?.made).toBe("for CUDA 12");
  });

  it("takes the package from a file", async () => {
    const { library: kept } = await install({ from: join(dataDir, "made.tgz") });
    expect(readFileSync(kept.file, "utf8")).toBe("the library");
    await expect(install({ from: "/nowhere.tgz", library: { ...library, made: "other" } })).rejects.toThrow(
      /nowhere\.tgz cannot be read/,
    );
  });

  it("refuses a package with another hash, and keeps what was there", async () => {
    await install({ from: join(dataDir, "made.tgz") });
    const before = ownLibrary(dataDir, "cuda");
    const { from } = await registry((_, response) => response.end(archive.subarray(1)));
    const other = install({ from, library: { ...library, made: "for CUDA 12" } });
    await expect(other).rejects.toThrow(/its hash differs/);
    expect(ownLibrary(dataDir, "cuda")).toEqual(before);
    expect(left()).toEqual(["cuda"]);
  });

  it("leaves nothing when the connection breaks", async () => {
    const { from } = await registry((_, response) => {
      response.writeHead(200, { "content-length": archive.length });
      response.write(archive.subarray(0, 50), () => response.destroy());
    });
    await expect(install({ from })).rejects.toThrow(ToolError);
    expect(left()).toEqual([]);
  });

  it("leaves nothing when it is stopped", async () => {
    const stop = new AbortController();
    const { from } = await registry((_, response) => {
      response.writeHead(200, { "content-length": archive.length });
      response.write(archive.subarray(0, 50));
    });
    const stopped = install({
      from,
      signal: stop.signal,
      onProgress: () => stop.abort(new ToolError("Stopped.")),
    });
    await expect(stopped).rejects.toThrow("Stopped.");
    expect(left()).toEqual([]);
  });

  it("says what the registry answered", async () => {
    const { from } = await registry((_, response) => response.writeHead(404).end());
    await expect(install({ from })).rejects.toThrow(
      /some-cuda-.*tgz cannot be downloaded: the server answered 404/,
    );
  });

  it("says where there is none for the platform", async () => {
    expect(prebuiltLibrary("cuda", "13", "linux-riscv64")).toBeNull();
    await expect(install({ library: null })).rejects.toThrow(/Build one: sotto engine build cuda/);
  });
});

describe("the prebuilt libraries", () => {
  it("are those of the package for the platform, and for CUDA's runtime", () => {
    expect(prebuiltLibrary("cuda", "13", "linux-x64")).toMatchObject({
      package: "@node-llama-cpp/linux-x64-cuda",
      path: "bins/linux-x64-cuda/libggml-cuda.so",
    });
    expect(prebuiltLibrary("cuda", "12", "linux-x64")).toMatchObject({
      package: "@node-llama-cpp/linux-x64-cuda-ext",
      path: "bins/linux-x64-cuda/fallback/libggml-cuda.so",
    });
    expect(prebuiltLibrary("vulkan", "12", "linux-x64")?.package).toBe("@node-llama-cpp/linux-x64-vulkan");
  });
});
