/** The release workflow, held against what it runs. The release itself: test/model/release.test.ts. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.looseObject({ file: z.string().optional() }).optional(),
});
const workflow = z
  .object({
    on: z.object({ push: z.object({ tags: z.array(z.string()) }) }),
    permissions: z.record(z.string(), z.string()),
    jobs: z.record(
      z.string(),
      z.looseObject({
        needs: z.union([z.string(), z.array(z.string())]).optional(),
        permissions: z.record(z.string(), z.string()).optional(),
        steps: z.array(step),
      }),
    ),
  })
  .parse(parse(readFileSync(".github/workflows/release.yml", "utf8")));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));
const jobs = Object.entries(workflow.jobs);
const commands = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []));

/** Needs the workflow's identity, or is a check that anyone can run. */
const others = /^(npm ci|sha256sum --check|cosign sign|cosign sign-blob|npm publish|gh release create)( |$)/;

it("builds with scripts of this repository only", () => {
  const built = commands.filter((command) => !others.test(command));
  expect(built).toEqual(["npm run release"]);
  expect(scripts).toHaveProperty("release");
});

it("lets only the jobs that publish or sign speak for the repository", () => {
  expect(workflow.permissions).toEqual({ contents: "read" });
  const signing = jobs.filter(([, { steps }]) =>
    steps.some(({ run = "" }) => /^(cosign|npm publish)/.test(run)),
  );
  const identified = jobs.filter(([, { permissions }]) => permissions?.["id-token"] === "write");
  expect(identified.map(([name]) => name)).toEqual(signing.map(([name]) => name));
  expect(commands.join("\n")).toMatch(/^npm publish .*--provenance/m);
  expect(readFileSync(".github/workflows/release.yml", "utf8")).not.toMatch(/secrets\./);
});

it("names jobs and files that exist", () => {
  for (const [, { needs = [] }] of jobs)
    for (const name of [needs].flat()) expect(Object.keys(workflow.jobs)).toContain(name);
  const files = jobs.flatMap(([, { steps }]) => steps.flatMap((one) => one.with?.file ?? []));
  expect(files).toEqual(["deploy/Dockerfile"]);
  for (const file of [...files, ".nvmrc"]) expect(existsSync(file)).toBe(true);
});
