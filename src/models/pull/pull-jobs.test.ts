import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { startModelServer, type ModelServer } from "../../../test/support/engines/model-server.js";
import { systemClock } from "../../core/ports.js";
import { PullJobs } from "./pull-jobs.js";

const model = ggufBytes(llamaFields, [randomTensor("blk.0.ffn_up.weight", [256, 4000], 16)]);
const signature = "signature=topsecret";

let server: ModelServer;
let folder: string;
let jobs: PullJobs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-jobs-"));
  server = await startModelServer({ "/files/direct.gguf": model });
  jobs = new PullJobs({
    folder,
    download: { endpoint: server.url, allowedHosts: [new URL(server.url).host] },
    clock: systemClock,
    reportError: () => undefined,
    retryMs: 1,
  });
});
afterEach(async () => {
  await jobs.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every file of the folder, by name. */
const contents = async (): Promise<Record<string, string>> => {
  const names = await readdir(folder);
  const read = names.map(async (name) => [name, await readFile(join(folder, name), "latin1")] as const);
  return Object.fromEntries(await Promise.all(read));
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
