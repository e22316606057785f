import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ggufBytes, llamaFields, randomTensor } from "../support/engines/gguf-file.js";
import { textWith } from "../support/matchers.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { CommandLine } from "./run.js";

const reportSchema = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.object({ name: z.string(), state: z.string(), detail: z.string(), next: z.string().optional() }),
  ),
});

let line: CommandLine;
let other: Server;
let port: number;

beforeEach(async () => {
  line = await CommandLine.open();
  // Another program, which is not Sotto; it also plays an upstream.
  other = createServer((request, response) => {
    response.statusCode = request.url === "/v1/models" ? 200 : 404;
    response.end('{"object":"list","data":[{"id":"big-model"}]}');
  });
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  ({ port } = other.address() as AddressInfo);
});
afterEach(async () => {
  other.close();
  await line.dispose();
});

/** In a process of its own, as the engine's probe needs the built program. */
async function examine(env: Record<string, string>) {
  const { code, stdout } = await line.start(["doctor", "--json"], { env });
  const { ok, findings } = reportSchema.parse(JSON.parse(stdout));
  return { code, ok, findings, find: (name: string) => findings.find((finding) => finding.name === name) };
}

describe("sotto doctor", () => {
  it("finds nothing broken on a machine that has everything, and changes nothing", async () => {
    const { code, ok, findings, find } = await examine({ SOTTO_PORT: "0" });
    expect(findings.filter(({ state }) => state === "broken")).toEqual([]);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(find("omega")?.detail).toContain("starter weights");
    expect(find("aliases")).toMatchObject({
      state: "ok",
      detail: "claude-* → omega, text-embedding-* → iota",
    });
    expect(find("engine")?.detail).toMatch(/CPU with \d+ threads|cuda|vulkan|metal/);
    expect(find("models that fit")?.detail).toMatch(/gemma-3-1b \(\d+ MB\)|none of the catalogue/);
    expect(await readdir(line.dataDir)).toEqual([]);
  });

  it("names everything that is broken, with what to do, and ends with 1", async () => {
    await mkdir(join(line.dataDir, "models"));
    const truncated = join(line.dataDir, "models", "cut.gguf");
    await writeFile(truncated, ggufBytes(llamaFields, [randomTensor("t", [256, 4], 16)]).subarray(0, -90));
    const accepted = ["--accept-shared-cache"];
    await line.run("models", "use", "prism", `http://127.0.0.1:${port}/v1`, ...accepted);
    await line.run("models", "use", "lambda", "http://127.0.0.1:9/v1", ...accepted);
    const { code, ok, findings, find } = await examine({
      SOTTO_PORT: String(port),
      SOTTO_MODELS_OMEGA_WEIGHTS: truncated,
      SOTTO_SMTP_URL: "smtp://127.0.0.1:1",
      SOTTO_PUBLIC_URL: "http://chat.example.com",
    });
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(find("database")).toMatchObject({ state: "ok", detail: textWith("is sound") });
    expect(find("omega")).toMatchObject({ state: "broken", detail: textWith("is truncated") });
    expect(findings.filter(({ name }) => name === "prism")).toMatchObject([
      { state: "ok", detail: textWith("answers") },
      { state: "hint", detail: textWith("prompt cache") },
      { state: "hint", detail: textWith("--context-tokens") },
      { state: "hint", detail: textWith("Nothing is known") },
      { state: "hint", detail: textWith("--vision") },
    ]);
    expect(find("lambda")).toMatchObject({
      state: "broken",
      detail: textWith("does not answer"),
    });
    expect(find("port")).toMatchObject({
      state: "broken",
      detail: textWith("another program"),
    });
    expect(find("mail")).toMatchObject({
      state: "broken",
      detail: textWith("cannot be reached"),
    });
    expect(find("public address")).toMatchObject({
      state: "hint",
      detail: textWith("not https"),
    });
    for (const finding of findings.filter(({ state }) => state !== "ok")) expect(finding.next).toBeTruthy();
  });

  it("wants memory for the largest model where models are loaded on demand", async () => {
    const one = join(line.dataDir, "one.gguf");
    const another = join(line.dataDir, "another.gguf");
    writeTinyGguf(one);
    writeTinyGguf(another, { seed: 2, chatTemplate: null });
    const env = {
      SOTTO_PORT: "0",
      SOTTO_MODELS_OMEGA_WEIGHTS: another,
      SOTTO_MODELS_PRISM_WEIGHTS: one,
      SOTTO_MODELS_LAMBDA_WEIGHTS: one,
    };
    const together = await examine(env);
    const onDemand = await examine({ ...env, SOTTO_ENGINE_IDLE_UNLOAD_MINUTES: "5" });
    const [all = NaN, largest] = [together, onDemand].map(({ find }) =>
      Number(/^([\d.]+) MB needed/.exec(find("memory")?.detail ?? "")?.[1]),
    );
    expect(largest).toBeCloseTo(all / 2, -1);
    expect(together.find("context")?.detail).toMatch(
      /^another\.gguf gets \d+ tokens here.*, for \d+ at once, /,
    );
    // What a base model is good for.
    expect(together.find("omega")).toMatchObject({
      state: "hint",
      detail: textWith("without a chat template"),
      next: textWith("POST /v1/completions"),
    });
  });

  it("reports a damaged database", async () => {
    await writeFile(
      join(line.dataDir, "sotto.db"),
      "this is not a database, but it is longer than a header".repeat(40),
    );
    const { code, find } = await examine({ SOTTO_PORT: "0" });
    expect(code).toBe(1);
    expect(find("database")?.state).toBe("broken");
  });
});
