/**
 * The software bill of materials (CycloneDX). The tool describes everything in the lockfile, what tests and builds need
 * included; here it is reduced to what is shipped, and each part says how.
 */
import { execFileSync, type ExecFileSyncOptions } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { idOf, type Lock, type Shipped } from "./shipped.js";

const component = z.looseObject({
  "bom-ref": z.string(),
  group: z.string().optional(),
  name: z.string(),
  version: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});
const bomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ "bom-ref": z.string() }) }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })).default([]),
});

export function billOfMaterials(shipped: readonly Shipped[], lock: Lock): string {
  const bom = bomSchema.parse(JSON.parse(describeLockfile()));
  const wanted = new Map(shipped.map((one) => [idOf(one), one]));
  const parts = new Map<string, z.infer<typeof component>>();
  for (const part of bom.components) {
    const id = idOf({ name: [part.group, part.name].filter(Boolean).join("/"), version: part.version });
    const shippedAs = wanted.get(id);
    if (shippedAs === undefined || parts.has(id)) continue;
    const properties = part.properties.filter(({ name }) => name !== "cdx:npm:package:development");
    parts.set(id, {
      ...part,
      scope: "required",
      hashes: hashesOf(lock[shippedAs.path]?.integrity),
      properties: [...properties, { name: "sotto:shipped", value: shippedAs.how }],
    });
  }
  const missing = [...wanted.keys()].filter((id) => !parts.has(id));
  if (missing.length > 0) throw new Error(`Not in the bill of materials: ${missing.join(", ")}`);
  const components = [...parts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
  const root = bom.metadata.component["bom-ref"];
  const kept = new Set([root, ...components.map((part) => part["bom-ref"])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  return `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`;
}

/** Of the package's archive, as npm checks it. */
function hashesOf(integrity = ""): { alg: string; content: string }[] {
  const base64 = /^sha512-(\S+)$/.exec(integrity)?.[1];
  return base64 === undefined
    ? []
    : [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }];
}

/** Installed where no other package is, by a lockfile of its own. */
function describeLockfile(): string {
  const folder = mkdtempSync(join(tmpdir(), "sotto-release-"));
  try {
    for (const file of ["package.json", "package-lock.json"])
      cpSync(join(import.meta.dirname, "tools", file), join(folder, file));
    const quiet: ExecFileSyncOptions = { stdio: ["ignore", "ignore", "inherit"] };
    execFileSync("npm", ["ci", "--ignore-scripts", "--omit=optional", "--prefer-offline"], {
      cwd: folder,
      ...quiet,
    });
    const tool = join(folder, "node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js");
    const output = join(folder, "bom.json");
    const options = [
      "--package-lock-only",
      "--output-reproducible",
      "--no-validate",
      "--output-file",
      output,
    ];
    // Clients that only tests use disagree about the version of a peer. What is shipped is compared above.
    options.push("--ignore-npm-errors", "--flatten-components");
    execFileSync(process.execPath, [tool, ...options, resolve("package.json")], quiet);
    return readFileSync(output, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
