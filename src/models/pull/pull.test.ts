import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { sha256, startModelServer, type ModelServer } from "../../../test/support/engines/model-server.js";
import { rejectionOf } from "../../../test/support/rejection.js";
import { DownloadClient, requireDownloadable } from "./download-request.js";
import { pullWeights, type PullOptions, type Pulled } from "./pull.js";
import { WeightsError } from "../weights-error.js";

const model = ggufBytes(llamaFields, [randomTensor("blk.0.ffn_up.weight", [256, 4000], 16)]);
const part1 = ggufBytes({ ...llamaFields, "split.count": 2 }, [randomTensor("a", [256, 2000], 16)]);
const part2 = ggufBytes({ "split.no": 1 }, [randomTensor("b", [256, 3000], 16, 7)]);
const main = "/owner/small-GGUF/resolve/main";

let server: ModelServer;
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "sotto-pull-")), "models");
  server = await startModelServer({
    [`${main}/small-Q4_K_M.gguf`]: model,
    [`${main}/small-Q8_0.gguf`]: ggufBytes(llamaFields, [randomTensor("a", [256, 9], 8)]),
    [`${main}/small-Q4_K_S.gguf`]: Buffer.from("<html>an error page"),
    "/owner/split-GGUF/resolve/main/big/m-Q4_0-00001-of-00002.gguf": part1,
    "/owner/split-GGUF/resolve/main/big/m-Q4_0-00002-of-00002.gguf": part2,
    "/files/direct.gguf": model,
  });
});
afterEach(async () => {
  await server.close();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

const pull = (text: string, options: Partial<PullOptions> = {}): Promise<Pulled> =>
  pullWeights(text, {
    folder,
    endpoint: server.url,
    signal: AbortSignal.timeout(20_000),
    retryMs: 1,
    stallTimeoutMs: 20_000,
    ...options,
  });

const errorOf = async (work: Promise<unknown>) => (await rejectionOf(WeightsError, work)).message;

const files = (): Promise<string[]> => readdir(folder).catch(() => []);
const path = (): string => join(folder, "small-Q4_K_M.gguf");
const untilHere = async (bytes: number): Promise<void> => {
  await eventually(async () => (await stat(`${path()}.part`).catch(() => null))?.size === bytes);
};
const arrived = async (bytes = model, at = path()): Promise<boolean> => (await readFile(at)).equals(bytes);

describe("pulling a model", () => {
  it("takes the usual quantisation of a repository, and tells how far it is", async () => {
    const progress: [number, number | null][] = [];
    const pulled = await pull("hf:owner/small-GGUF", {
      onProgress: (done, total) => progress.push([done, total]),
    });
    expect(pulled).toMatchObject({ path: path(), wasHere: false, facts: { architecture: "llama" } });
    expect(await arrived()).toBe(true);
    expect(progress.at(-1)).toEqual([model.length, model.length]);
    expect(await files()).toEqual(["small-Q4_K_M.gguf", "small-Q4_K_M.gguf.verified.json"]);
    expect(((await stat(path())).mode & 0o777).toString(8)).toBe("600");
  });

  it.each(["hf:owner/small-GGUF:q8_0", "hf:owner/small-GGUF/small-Q8_0.gguf"])(
    "takes the one that %s names",
    async (text) => {
      expect((await pull(text)).path).toBe(join(folder, "small-Q8_0.gguf"));
    },
  );

  it("takes all parts of a split model, named by any of them", async () => {
    const names: string[] = [];
    const { facts } = await pull("hf:owner/split-GGUF/big/m-Q4_0-00002-of-00002.gguf", {
      onFile: (name, number, count) => names.push(`${name} ${number}/${count}`),
    });
    expect(names).toEqual(["m-Q4_0-00001-of-00002.gguf 1/2", "m-Q4_0-00002-of-00002.gguf 2/2"]);
    expect(facts.bytes).toBe(part1.length + part2.length);
    expect(await arrived(part2, join(folder, "m-Q4_0-00002-of-00002.gguf"))).toBe(true);
  });

  it("finds files on later pages of the list", async () => {
    server.behaviour.pageSize = 1;
    expect((await pull("hf:owner/small-GGUF:Q8_0")).path).toBe(join(folder, "small-Q8_0.gguf"));
  });

  it("takes a file from any address", async () => {
    await pull(`${server.url}/files/direct.gguf`, { sha256: sha256(model) });
    expect(await arrived(model, join(folder, "direct.gguf"))).toBe(true);
  });

  it("downloads nothing that is here already, and overwrites nothing that is another file", async () => {
    await pull("hf:owner/small-GGUF");
    const asked = server.requests.length;
    expect((await pull("hf:owner/small-GGUF")).wasHere).toBe(true);
    expect(server.requests).toHaveLength(asked);
    await writeFile(path(), "mine");
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toContain("exists and is another file");
    expect(await readFile(path(), "utf8")).toBe("mine");
  });

  it("follows redirects, with the token for the first host only and the hash from its answer", async () => {
    const elsewhere = await startModelServer(Object.fromEntries(server.files));
    try {
      server.behaviour.redirectTo = elsewhere.url;
      await pull(`${server.url}${main}/small-Q4_K_M.gguf`, { token: "secret" });
      expect(server.requests.map(({ authorization }) => authorization)).toEqual(["Bearer secret"]);
      expect(elsewhere.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
      expect(await arrived()).toBe(true);
      await rm(path());
      server.behaviour.sha256 = "0".repeat(64);
      expect(await errorOf(pull(`${server.url}${main}/small-Q4_K_M.gguf`))).toContain(
        `instead of ${"0".repeat(64)}`,
      );
    } finally {
      await elsewhere.close();
    }
  });
});

describe("a pull that is interrupted", () => {
  it("continues where the connection broke", async () => {
    server.behaviour = { cutAfter: 100_000, cuts: 2, beforeCut: untilHere };
    await pull("hf:owner/small-GGUF");
    expect(await arrived()).toBe(true);
    expect(server.requests.map(({ range }) => range)).toEqual([undefined, "bytes=100000-", "bytes=200000-"]);
  });

  it("continues in a later run", async () => {
    server.behaviour = { cutAfter: 50_000, cuts: 1, beforeCut: untilHere };
    const stop = new AbortController();
    const first = pull("hf:owner/small-GGUF", { signal: stop.signal, retryMs: 60_000 }).catch(
      (reason: unknown) => reason,
    );
    await untilHere(50_000);
    stop.abort(new Error("stopped by hand"));
    expect(String(await first)).toContain("stopped by hand");
    expect(await files()).toEqual(["small-Q4_K_M.gguf.part", "small-Q4_K_M.gguf.part.json"]);
    await pull("hf:owner/small-GGUF");
    expect(server.requests.at(-1)?.range).toBe("bytes=50000-");
    expect(await arrived()).toBe(true);
    expect(await files()).toEqual(["small-Q4_K_M.gguf", "small-Q4_K_M.gguf.verified.json"]);
  });

  it("starts over when the file has changed in between", async () => {
    await writePart(Buffer.alloc(1000, "old"), '"another version"');
    await pull("hf:owner/small-GGUF");
    expect(server.requests[0]?.range).toBe("bytes=1000-");
    expect(await arrived()).toBe(true);
  });

  it("starts over with a server that cannot continue", async () => {
    server.behaviour = {
      cutAfter: 100_000,
      cuts: 1,
      ignoresRange: true,
      beforeCut: () => untilHere(100_000),
    };
    await pull("hf:owner/small-GGUF");
    expect(await arrived()).toBe(true);
  });

  it("is done when everything had arrived", async () => {
    await writePart(model, `"${sha256(model).slice(0, 16)}"`);
    await pull("hf:owner/small-GGUF");
    expect(server.requests).toHaveLength(1);
    expect(await arrived()).toBe(true);
  });

  it("tries again after silence and after a bad moment of the server", async () => {
    server.behaviour = { stallAfter: 10_000, status: 503, statuses: 2 };
    await pull("hf:owner/small-GGUF", { stallTimeoutMs: 300 });
    expect(server.requests.map(({ range }) => range)).toEqual([
      undefined,
      undefined,
      undefined,
      "bytes=10000-",
    ]);
    expect(await arrived()).toBe(true);
  });

  it("gives up when nothing comes, keeps what has arrived and says so", async () => {
    server.behaviour = { status: 502 };
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toMatch(
      /could not be downloaded from .*502.* the same command continues/,
    );
    expect(server.requests).toHaveLength(5);
  });

  async function writePart(bytes: Buffer, etag: string): Promise<void> {
    await pull("hf:owner/small-GGUF:q8_0");
    server.requests.length = 0;
    await writeFile(`${path()}.part`, bytes);
    await writeFile(
      `${path()}.part.json`,
      JSON.stringify({ urlSha256: sha256(Buffer.from(`${server.url}${main}/small-Q4_K_M.gguf`)), etag }),
    );
  }
});

describe("a pull is refused with the reason:", () => {
  const nothingLeft = async () => expect(await files()).toEqual([]);

  it("a wrong hash, whose file does not stay", async () => {
    server.behaviour.sha256 = "f".repeat(64);
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toMatch(/arrived with the SHA-256 .* It was removed/);
    await nothingLeft();
    server.behaviour = {};
    expect(await errorOf(pull("hf:owner/small-GGUF", { sha256: "a".repeat(64) }))).toContain(
      "instead of aaaa",
    );
  });

  it("no such repository, file or quantisation, naming what there is", async () => {
    expect(await errorOf(pull("hf:nobody/none"))).toContain("There is no nobody/none");
    expect(await errorOf(pull("hf:owner/small-GGUF/none.gguf"))).toContain(
      "has no none.gguf. It has: small-Q4_K_M.gguf",
    );
    expect(await errorOf(pull("hf:owner/small-GGUF:Q2_K"))).toContain(
      "has no Q2_K. Choose one of: small-Q4_K_M.gguf",
    );
    expect(await errorOf(pull("hf:owner/small-GGUF:Q4_K"))).toContain("has no Q4_K.");
    expect(await errorOf(pull(`${server.url}/files/none.gguf`))).toContain("There is no none.gguf (404)");
    await nothingLeft();
  });

  it("a gated model", async () => {
    expect(await errorOf(pull("hf:gated/model"))).toMatch(
      /gated \(403\): accept its licence .* SOTTO_HF_TOKEN/,
    );
    server.behaviour = { status: 401 };
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toContain("gated (401)");
  });

  it("no space, before a byte is asked for", async () => {
    expect(await errorOf(pull("hf:owner/small-GGUF", { freeBytes: async () => 1000 }))).toMatch(
      /needs 264\.\d kB .* 1\.0 kB are free\. Make room, or save it on another disk and choose it by its path/,
    );
    expect(server.requests).toEqual([]);
    expect(await errorOf(pull(`${server.url}/files/direct.gguf`, { freeBytes: async () => 1000 }))).toContain(
      "still to come",
    );
    await nothingLeft();
  });

  it("something other than GGUF, of which nothing stays", async () => {
    expect(await errorOf(pull("hf:owner/small-GGUF:Q4_K_S"))).toContain("does not begin with 'GGUF'");
    await nothingLeft();
  });

  it("an invalid GGUF file, which does not stay unless it was here before", async () => {
    const hollow = ggufBytes(llamaFields, []);
    server.files.set("/files/hollow.gguf", hollow);
    expect(await errorOf(pull(`${server.url}/files/hollow.gguf`))).toMatch(/holds no weights.*was removed/);
    await nothingLeft();
    await writeFile(join(folder, "hollow.gguf"), hollow);
    expect(await errorOf(pull(`${server.url}/files/hollow.gguf`))).toMatch(/holds no weights\.$/);
    expect(await files()).toEqual(["hollow.gguf"]);
  });

  it("an address that is not https, asked for or redirected to", async () => {
    expect(await errorOf(pull("http://models.example.com/x.gguf"))).toContain("is not https");
    server.behaviour.redirectTo = "http://models.example.com";
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toMatch(
      /redirects to http:\/\/models\.example\.com, which is not https/,
    );
  });

  it.each([
    "http://169.254.169.254",
    "https://169.254.169.254",
    "https://100.100.100.200",
    "https://[fd00:ec2::254]",
    "https://[::ffff:a9fe:a9fe]",
    "https://[64:ff9b::a9fe:a9fe]",
  ])("a redirect to %s, where a cloud keeps credentials", async (redirectTo) => {
    server.behaviour.redirectTo = redirectTo;
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toMatch(
      /redirects to .* where clouds keep credentials/,
    );
    await nothingLeft();
  });

  it("a name that leads there, at the first try", async () => {
    const asked: string[] = [];
    const client = new DownloadClient({
      endpoint: "https://models.example.com",
      lookupAll: (host, _options, callback) => {
        asked.push(host);
        callback(null, [{ address: "169.254.169.254", family: 4 }]);
      },
    });
    const url = new URL("https://models.example.com/x.gguf");
    const signal = new AbortController().signal;
    expect(await errorOf(client.get(url, {}, signal))).toContain("where clouds keep credentials");
    expect(asked).toEqual(["models.example.com"]);
    await client.close();
  });

  it("a redirect from elsewhere to this machine's own services", () => {
    const [here, elsewhere] = [new URL("http://127.0.0.1:8080/x"), new URL("https://models.example.com/x")];
    expect(() => {
      requireDownloadable(here, elsewhere, undefined);
    }).toThrow("https://models.example.com/x redirects to http://127.0.0.1:8080, which is not https");
    expect(() => {
      requireDownloadable(here, new URL("http://localhost:9090/x"), undefined);
    }).not.toThrow();
  });

  it("redirects without end", async () => {
    server.behaviour = { redirectTo: server.url, redirectsForever: true };
    expect(await errorOf(pull("hf:owner/small-GGUF"))).toContain("redirected more than 6 times");
  });

  it.each(["hf:", "hf:owner", "hf:owner/repo/../../etc/passwd.gguf", "hf:a b/c", "no-such-entry"])(
    "%s, which names nothing",
    async (text) => {
      expect(await errorOf(pull(text))).toContain(text);
      expect(server.requests).toEqual([]);
    },
  );
});
