/** What the preflight says of real llama-servers, started well and badly. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { preflight } from "../../src/engines/upstream/checks/preflight.js";
import { generationOf, replyTo } from "../contract/engines/engine-contract.js";
import { textWith } from "../support/matchers.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";
import { startLlamaServer, type LlamaServer, type LlamaServerOptions } from "./llama-server.js";

const profile = "llama-server";
const howStarted = { level: "warn", text: textWith("does not say how it was started") };

let server: LlamaServer;
afterEach(() => server.close());

async function findings(options: LlamaServerOptions = {}) {
  server = await startLlamaServer(options);
  return look();
}
const look = () => preflight({ url: server.url, profile }, { strict: true });

async function answerOnce() {
  const engine = await connectUpstream({ url: server.url, profile });
  await replyTo(engine, generationOf("canary-77", { maxTokens: 2 }));
  await engine.close();
}

describe("the preflight of a llama-server", () => {
  it("has no finding about open slots once it has served a request", async () => {
    const may = { level: "warn", text: textWith("may show prompts") };
    expect(await findings()).toEqual([may, howStarted]);
    await answerOnce();
    expect(await look()).toEqual([howStarted]);
  });

  it("has no finding about metrics and settings, which show no conversations", async () => {
    expect(await findings({ arguments: ["--no-slots", "--metrics", "--props"] })).toEqual([howStarted]);
  });

  it("sees slots that show prompts", async () => {
    await findings({ env: { LLAMA_SERVER_SLOTS_DEBUG: "1" } });
    await answerOnce();
    const found = await look();
    expect(found).toEqual([{ level: "refuse", text: textWith("--no-slots") }, howStarted]);
    expect(JSON.stringify(found)).not.toContain("canary-77");
  });

  it("sees that slots can be saved to files, and has none saved", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sotto-slots-"));
    const found = await findings({ arguments: ["--no-slots", "--slot-save-path", `${folder}/`] });
    expect(found).toEqual([{ level: "refuse", text: textWith("--slot-save-path") }, howStarted]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it("reports one that wants a key, and finds the same with it", async () => {
    expect(await findings({ arguments: ["--no-slots", "--api-key", "right"] })).toEqual([
      { level: "useless", text: textWith("refuses the key") },
    ]);
    expect(await preflight({ url: server.url, profile, key: "right" }, { strict: true })).toEqual([
      howStarted,
    ]);
  });
});
