import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { startModelServer, type ModelServer } from "../../../test/support/engines/model-server.js";
import { systemClock } from "../../core/clock.js";
import { PullJobs, type PullJobsOptions } from "./pull-jobs.js";
import { pullWeights } from "./pull.js";

const model = ggufBytes(llamaFields, [randomTensor("blk.0.ffn_up.weight", [256, 4000], 16)]);
const part1 = ggufBytes({ ...llamaFields, "split.count": 2 }, [randomTensor("a", [256, 2000], 16)]);
const part2 = ggufBytes({ "split.no": 1 }, [randomTensor("b", [256, 3000], 16, 7)]);
const signature = "signature=topsecret";

let server: ModelServer;
let folder: string;
let jobs: PullJobs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-jobs-"));
  server = await startModelServer({
    "/files/direct.gguf": model,
    "/files/hollow.gguf": ggufBytes(llamaFields, []),
    "/files/split-00001-of-00002.gguf": part1,
    "/files/split-00002-of-00002.gguf": part2,
  });
  jobs = newJobs();
});
afterEach(async () => {
  await jobs.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const newJobs = (more: Partial<PullJobsOptions> = {}): PullJobs =>
  new PullJobs({
    folder,
    download: { endpoint: server.url, allowedHosts: [new URL(server.url).host] },
    clock: systemClock,
    reportError: () => undefined,
    use: async () => undefined,
    retryMs: 1,
    ...more,
  });

/** Every file of the folder, by name. */
const contents = async (): Promise<Record<string, string>> => {
  const names = await readdir(folder);
  // One that is being written may have its final name by now.
  const read = names.map(async (name) => [[name, await readFile(join(folder, name), "latin1")] as const]);
  return Object.fromEntries((await Promise.all(read.map((one) => one.catch(() => [])))).flat());
};
const stateOf = (id: string) => jobs.list().find((job) => job.id === id)?.state;

describe("a pull from a signed address", () => {
  it("keeps no signature beside what has arrived", async () => {
    server.behaviour = { stallAfter: 100_000 };
    const { id } = jobs.start({ reference: `${server.url}/files/direct.gguf?${signature}` });
    const note = await eventually(async () => (await contents())["direct.gguf.part.json"]);
    expect(note).not.toContain(signature);
    jobs.pause(id);
  });

  it("leaves neither its address nor its bytes on disk when it fails for good", async () => {
    server.behaviour = {
      cutAfter: 100_000,
      cuts: 1,
      beforeCut: async () => {
        server.behaviour = { status: 403 };
      },
    };
    const { id } = jobs.start({ reference: `${server.url}/files/direct.gguf?${signature}` });
    await eventually(() => stateOf(id) === "failed");
    await eventually(async () => (await readdir(folder)).length === 0);
    expect(jobs.list()[0]?.reason).toContain("may have expired");
  });

  it("is offered again after an outage of the server", async () => {
    server.behaviour = { status: 503 };
    const { id } = jobs.start({ reference: `${server.url}/files/direct.gguf?${signature}` });
    await eventually(() => stateOf(id) === "failed");
    expect((await contents())["pulls.json"]).toContain("direct.gguf");
  });
});

describe("a cancelled pull", () => {
  it.each([
    ["while its file is hashed", "direct.gguf", "hashing"],
    ["after its file has its final name", "direct.gguf", "arrived"],
    ["while the last file of a split model is hashed", "split-00001-of-00002.gguf", "hashing"],
  ] as const)("leaves nothing on disk: %s", async (_when, name, moment) => {
    let cancelled: Promise<unknown> | undefined;
    let checked = 0;
    jobs = newJobs({
      pull: async (reference, options) => {
        const cancel = () => void (cancelled = jobs.cancel(jobs.list()[0]?.id ?? ""));
        const files = name.startsWith("split") ? 2 : 1;
        const pulled = await pullWeights(reference, {
          ...options,
          onChecking: () => {
            options.onChecking?.();
            checked += 1;
            if (moment === "hashing" && checked === files) cancel();
          },
        });
        if (moment === "arrived") cancel();
        return pulled;
      },
    });
    jobs.start({ reference: `${server.url}/files/${name}` });
    await eventually(() => cancelled);
    expect(jobs.list()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("keeps a file that was there before it", async () => {
    await writeFile(join(folder, "split-00001-of-00002.gguf"), part1);
    server.behaviour = { stallAfter: 100_000 };
    const { id } = jobs.start({ reference: `${server.url}/files/split-00001-of-00002.gguf` });
    await eventually(() => (jobs.list()[0]?.doneBytes ?? 0) > 0);
    await jobs.cancel(id);
    expect(await readdir(folder)).toEqual(["split-00001-of-00002.gguf"]);
  });
});

it("a pull that is paused while its file is hashed continues there", async () => {
  let id = "";
  let wasPaused = false;
  jobs = newJobs({
    pull: (reference, options) =>
      pullWeights(reference, {
        ...options,
        onChecking: () => {
          options.onChecking?.();
          if (!wasPaused) jobs.pause(id);
          wasPaused = true;
        },
      }),
  });
  ({ id } = jobs.start({ reference: `${server.url}/files/direct.gguf` }));
  await eventually(() => wasPaused);
  await eventually(() => stateOf(id) === "paused");
  await eventually(async () => (await readdir(folder)).includes("direct.gguf.part"));
  jobs.resume(id);
  await eventually(() => stateOf(id) === "done");
  expect((await readFile(join(folder, "direct.gguf"))).equals(model)).toBe(true);
});

it("a pull of a file that is no valid GGUF leaves nothing on disk", async () => {
  const { id } = jobs.start({ reference: `${server.url}/files/hollow.gguf` });
  await eventually(() => stateOf(id) === "failed");
  expect(jobs.list()[0]?.reason).toMatch(/holds no weights.*was removed/);
  await eventually(async () => (await readdir(folder)).length === 0);
});
