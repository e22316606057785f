/** A file that says something about everything, and what the commands make of it, on any database. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { textWith } from "../support/matchers.js";
import type { CommandLine, CommandResult } from "./run.js";

export const everything = `
operator: { name: Example, contact: help@example.com }
secondFactor: { requiredFor: admins, graceDays: 3 }
plans:
  research:
    name: Research
    requestsPerMinute: 3000
    tokensPerMinute: 1000000
    concurrentRequests: 64
    maxKeys: 50
    tokensPerMonth: 5000000
aliases:
  gpt-4o-mini: lambda
  gpt-*: omega
models:
  prism:
    engines:
      - { url: "http://127.0.0.1:9/v1", profile: vllm, acceptLogging: true, key: { env: GPU_KEY } }
  iota: off
providers:
  example:
    name: Example
    issuer: https://login.example.com
    clientId: sotto
    clientSecret: { env: OIDC_SECRET }
    groupClaim: groups
    groups: [{ group: staff, planId: research }]
teams:
  Research:
    planId: research
    quotas: { tokensPerDay: 100000 }
    joinDomain: example.com
    allowFrom: [192.0.2.7/24, "2001:DB8::/32"]
    secondFactorDays: 14
    members:
      Ada@example.com: owner
      bob@example.com: { role: member, limits: { requestsPerDay: 10 } }
webhooks:
  https://hooks.example.com:
    events: [key.created]
`;

export const secrets = { GPU_KEY: "gpu-secret-1", OIDC_SECRET: "oidc-secret-1" };

export async function createAccounts(sotto: CommandLine): Promise<void> {
  for (const name of ["ada", "bob"]) await sotto.json("accounts", "create", `${name}@example.com`);
}

/** Applies the text as a file of its own. */
export async function apply(sotto: CommandLine, text: string, ...options: string[]): Promise<CommandResult> {
  const path = join(sotto.dataDir, "sotto.yaml");
  await writeFile(path, text);
  return sotto.run("apply", path, ...options);
}

/** Applied, exported, and applied again: nothing is left to change, also on `empty`. */
export async function expectRoundTrip(sotto: CommandLine, empty: CommandLine): Promise<void> {
  expect(await apply(sotto, everything, "--yes")).toMatchObject({
    code: 0,
    stdout: textWith("Applied: 4 created, 5 changed"),
  });
  expect(await apply(sotto, everything, "--yes")).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
  const { stdout: exported } = await sotto.run("export");
  for (const secret of Object.values(secrets)) expect(exported).not.toContain(secret);
  expect(await apply(sotto, exported, "--check", "--prune")).toMatchObject({ code: 0 });
  // The references of an export have names of their own.
  Object.assign(empty.env, {
    PROVIDERS_EXAMPLE_CLIENT_SECRET: secrets.OIDC_SECRET,
    MODELS_PRISM_ENGINES_0_KEY: secrets.GPU_KEY,
  });
  expect(await apply(empty, exported, "--yes", "--prune")).toMatchObject({ code: 0 });
  expect((await empty.run("export")).stdout).toBe(exported);
}
