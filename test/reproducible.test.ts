/** A release, made twice from one commit in two folders. Needs npm, and its registry for what is not in npm's cache. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, verify } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const run = (folder: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }).toString();

/** On the same disk as the packages, which are linked and not copied. */
mkdirSync(".tmp", { recursive: true });
const folder = mkdtempSync(resolve(".tmp/releases-"));
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const keyFile = join(folder, "release.key");
const outputs = ["one", "two"].map((name) => join(folder, name, "out"));
const read = (index: number, file: string): Buffer => readFileSync(join(outputs[index] ?? "", file));

describe("a release", () => {
  beforeAll(() => {
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const out of outputs) release(resolve(out, "../a checkout"), out);
  }, 1_200_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has the same bytes in both folders, signature included", () => {
    const [names] = outputs.map((out) => readdirSync(out).sort());
    expect(names).toHaveLength(6);
    expect(read(0, "SHA256SUMS").toString()).toBe(read(1, "SHA256SUMS").toString());
    expect(read(0, "SHA256SUMS.sig").equals(read(1, "SHA256SUMS.sig"))).toBe(true);
  });

  it("can be verified", () => {
    expect(run(outputs[0] ?? "", "sha256sum", "--check", "SHA256SUMS")).not.toContain("FAILED");
    expect(verify(null, read(0, "SHA256SUMS"), publicKey, read(0, "SHA256SUMS.sig"))).toBe(true);
  });

  it("names every package that is part of it, or installed with it, and its licence", () => {
    const names = readdirSync(outputs[0] ?? "");
    const tarball = names.find((name) => name.endsWith(".tgz")) ?? "";
    const inTarball = (path: string) => run(outputs[0] ?? "", "tar", "-xzOf", tarball, `package/${path}`);
    const bundled = ["dist/bundled-program.txt", "dist/bundled-pages.txt"].flatMap((path) =>
      inTarball(path).trim().split("\n"),
    );
    const { packages } = z
      .object({ packages: z.record(z.string(), z.looseObject({ version: z.string() })) })
      .parse(JSON.parse(inTarball("npm-shrinkwrap.json")));
    const installed = Object.entries(packages)
      .filter(([path]) => path !== "")
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
    const bom = z
      .object({
        components: z.array(
          z.looseObject({ group: z.string().optional(), name: z.string(), version: z.string() }),
        ),
      })
      .parse(JSON.parse(read(0, names.find((name) => name.endsWith(".cdx.json")) ?? "").toString()));
    const named = bom.components.map(
      ({ group, name, version }) => `${group === undefined ? "" : `${group}/`}${name}@${version}`,
    );
    const shipped = [...new Set([...bundled, ...installed])].sort();
    expect(shipped.length).toBeGreaterThan(50);
    expect([...named].sort()).toEqual(shipped);
    const licences = inTarball("dist/third-party-licenses.txt");
    for (const id of shipped) expect(licences).toContain(`\n${id} (`);
    expect(licences).toBe(read(0, "third-party-licenses.txt").toString());
  });
});

/** What is committed, with the packages of this checkout as they are. */
function release(checkout: string, out: string): void {
  run(".", "git", "clone", "--quiet", "--no-hardlinks", resolve("."), checkout);
  run(".", "cp", "--archive", "--link", resolve("node_modules"), join(checkout, "node_modules"));
  run(checkout, "npx", "tsx", "scripts/release/release.ts", "--out", out, "--key", keyFile);
}
