/** `sotto verify` and `sotto proof` on a running service. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Signer } from "../../src/core/proof/signer.js";
import { proofPaths } from "../../src/protocol/proof/proof-paths.js";
import { eventually } from "../support/eventually.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { CommandLine } from "./run.js";

let dashboard: TestDashboard;
let home: string;
let sotto: CommandLine;

beforeEach(async () => {
  dashboard = await startDashboard();
  home = await mkdtemp(join(tmpdir(), "sotto-home-"));
  sotto = new CommandLine(dashboard.dataDir, { XDG_CONFIG_HOME: home });
  await eventually(async () => (await fetch(dashboard.url + proofPaths.statement)).ok);
});
afterEach(async () => {
  await dashboard.close();
  await rm(home, { recursive: true, force: true });
});

const verify = (...args: string[]) => sotto.run("verify", dashboard.url, ...args);
const shown = async () =>
  z.object({ signing_key: z.string(), entries: z.number() }).parse(await sotto.json("proof", "show"));

describe("sotto verify", () => {
  it("pins at first use, compares afterwards, and prints the key to compare", async () => {
    const { signing_key: key } = await shown();
    const first = await verify();
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain(`VERIFIED  ${dashboard.url}`);
    expect(first.stdout).toContain(key);
    expect(first.stdout).toContain("no evidence");
    const again = await verify();
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("Nothing changed since the last check.");
    expect(await readFile(join(home, "sotto", "verify.json"), "utf8")).toContain(key);
    expect(JSON.parse((await verify("--json")).stdout)).toMatchObject({
      ok: true,
      refused: null,
      changes: [],
    });
  });

  it("follows a rotation, and ends with 1 for a key that is not the pinned one", async () => {
    await verify();
    const before = await shown();
    const { code, stdout } = await sotto.run("proof", "rotate-signing-key");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(before.signing_key) as unknown,
    });
    await dashboard.app.proof.statements()?.look();
    const followed = await verify();
    expect(followed.stdout).toContain("The signing key was rotated");
    expect(followed.code).toBe(0);
    const refused = await verify("--pin", "9".repeat(64));
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("REFUSED");
    const { stdout: json } = await verify("--pin", "9".repeat(64), "--json");
    expect(JSON.parse(json)).toMatchObject({ ok: false, refused: { cause: "unknown_key" } });
  });

  it("ends with 2 where nothing can be checked, and never pins anew by itself", async () => {
    expect(await sotto.run("verify")).toMatchObject({ code: 2 });
    expect(await sotto.run("verify", "http://127.0.0.1:1")).toMatchObject({ code: 2 });
    expect(await verify("--pin", "short")).toMatchObject({ code: 2 });
    await verify();
    await writeFile(join(home, "sotto", "verify.json"), "{");
    const broken = await verify();
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain("verify.json");
  });

  it("checks a receipt offline, by the pinned key", async () => {
    await verify();
    const [request, response, receipt] = ["request", "response", "receipt"].map((name) => join(home, name));
    const signer = dashboard.app.proof.signer();
    await writeFile(request ?? "", "{}");
    await writeFile(response ?? "", '{"choices":[]}');
    await writeFile(receipt ?? "", await receiptOf(signer, "{}", '{"choices":[]}'));
    const files = ["--receipt", receipt, "--request", request, "--response", response].map(String);
    const good = await verify(...files);
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toContain("VERIFIED");
    await writeFile(response ?? "", '{"choices":[1]}');
    expect(await verify(...files)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("another reply") as unknown,
    });
    expect(await sotto.run("verify", ...files)).toMatchObject({ code: 2 });
  });

  it("is one file that runs without the rest of the program", async () => {
    const copy = join(home, "verify.mjs");
    await writeFile(copy, await readFile("dist/verify.js"));
    const options = { cwd: home, env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: home } };
    const { stdout } = await promisify(execFile)(process.execPath, [copy, dashboard.url, "--json"], options);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });
});

describe("a restored database", () => {
  it("is reported by the doctor until the next start has noted it, and afterwards", async () => {
    const head = join(dashboard.dataDir, "statement-log.json");
    await eventually(async () => (await readFile(head, "utf8").catch(() => "")) !== "");
    await writeFile(head, JSON.stringify({ size: 5, root: "0".repeat(64) }));
    const { stdout } = await sotto.run("doctor", "--json");
    const { findings } = z
      .object({ findings: z.array(z.object({ name: z.string(), state: z.string(), detail: z.string() })) })
      .parse(JSON.parse(stdout));
    expect(findings.find(({ name }) => name === "statement log")).toMatchObject({
      state: "broken",
      detail: expect.stringMatching(/4 entries are missing/) as unknown,
    });
  });
});

async function receiptOf(signer: Signer | null, request: string, response: string): Promise<string> {
  if (signer === null) throw new Error("There is no signer.");
  const { createHash } = await import("node:crypto");
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const claims = {
    ...{ iat: 1_900_000_000, nonce: "n".repeat(16), model: "omega", weights: null, statement: null },
    ...{ request_sha256: sha256(request), response_sha256: sha256(response) },
  };
  const text = [{ alg: "EdDSA", kid: signer.keyId }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${signer.sign(Buffer.from(text)).toString("base64url")}`;
}
