/** `sotto apply` and `sotto export`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
beforeEach(async () => {
  sotto = await CommandLine.open();
  for (const name of ["ada", "bob"]) await sotto.json("accounts", "create", `${name}@example.com`);
});
afterEach(() => sotto.dispose());

const write = async (text: string, name = "sotto.yaml"): Promise<string> => {
  const path = join(sotto.dataDir, name);
  await writeFile(path, text);
  return path;
};

const apply = async (text: string, ...options: string[]) => sotto.run("apply", await write(text), ...options);

const exported = async (): Promise<unknown> => sotto.json("export");

const everything = `
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
    members:
      Ada@example.com: owner
      bob@example.com: { role: member, limits: { requestsPerDay: 10 } }
webhooks:
  https://hooks.example.com:
    events: [key.created]
`;

describe("sotto apply", () => {
  beforeEach(() => {
    Object.assign(sotto.env, { GPU_KEY: "gpu-secret-1", OIDC_SECRET: "oidc-secret-1" });
  });

  it("applies everything, and changes nothing the second time", async () => {
    const first = await apply(everything, "--yes");
    expect(first).toMatchObject({ code: 0 });
  });
});
