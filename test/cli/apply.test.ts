import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openStore } from "../../src/store/open-store.js";
import { loadConfig } from "../../src/config.js";
import { newApiCaller } from "../support/clients/api-caller.js";
import { eventually } from "../support/eventually.js";
import { textWith } from "../support/matchers.js";
import { startDashboard } from "../support/processes/dashboard-server.js";
import { apply, createAccounts, everything, expectRoundTrip, secrets } from "./apply-files.js";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
const open = async (): Promise<void> => {
  sotto = await CommandLine.open();
  Object.assign(sotto.env, secrets);
  await createAccounts(sotto);
};

const plan = "{ name: N, requestsPerMinute: 1, tokensPerMinute: 1, concurrentRequests: 1, maxKeys: 1 }";

async function auditLines(): Promise<string[]> {
  const store = await openStore(loadConfig({ env: { SOTTO_DATA_DIR: sotto.dataDir } }));
  const lines = await store.audit.list(null, 100);
  await store.close();
  return lines.map(({ actor, action, target }) => `${actor}: ${action} ${target}`).reverse();
}

describe("sotto apply", () => {
  beforeEach(open);
  afterEach(() => sotto.dispose());

  it("applies everything once, and an export of it gives the same on an empty database", async () => {
    const empty = await CommandLine.open();
    try {
      await createAccounts(empty);
      await expectRoundTrip(sotto, empty);
    } finally {
      await empty.dispose();
    }
  });

  it("shows what changes before it asks, and changes nothing without an answer", async () => {
    await apply(sotto, `plans: { research: ${plan}, old: ${plan} }`, "--yes");
    const text = `
plans:
  research: { requestsPerMinute: 3000, tokensPerDay: 5000 }
teams:
  Research: { planId: research, members: { ada@example.com: owner } }
aliases: { gpt-*: omega }
`;
    const diff = `~ plan research
    requestsPerMinute: 1 → 3000
    tokensPerDay: null → 5000
~ aliases
    gpt-*: omega
+ team Research
    name: Research
    planId: research
    members.ada@example.com.role: owner
- plan old
`;
    const shown = await apply(sotto, text, "--dry-run", "--prune");
    expect(shown.stdout).toContain("1 to create, 2 to change, 1 to delete.");
    const asked = await apply(sotto, text);
    expect(asked).toMatchObject({ code: 2, stderr: textWith("Add --yes") });
    expect(asked.stderr).toContain(diff.slice(0, diff.indexOf("- plan")).trimEnd());
    expect(await apply(sotto, text, "--check")).toMatchObject({ code: 2 });
    expect(await sotto.json("teams", "list")).toEqual([]);
  });

  it("deletes what the file does not mention only when it is told to, and never a section or the first plan", async () => {
    await apply(sotto, everything, "--yes");
    const less = `
plans: { research: {} }
teams: { Research: { members: { ada@example.com: owner } } }
webhooks: {}
aliases: { gpt-*: omega }
`;
    expect(await apply(sotto, less, "--yes")).toMatchObject({ stdout: "Nothing to change.\n" });
    const pruned = await apply(sotto, less, "--prune", "--yes");
    expect(pruned).toMatchObject({ code: 0 });
    expect(pruned.stdout).toContain("- webhook https://hooks.example.com/");
    expect(pruned.stdout).toContain("members.bob@example.com");
    const { plans, providers, teams, webhooks, aliases } = parse(
      (await sotto.run("export")).stdout,
    ) as Record<string, Record<string, unknown> | undefined>;
    expect(Object.keys(plans ?? {}).sort()).toEqual(["free", "research"]);
    expect(Object.keys(providers ?? {})).toEqual(["example"]);
    expect(teams).toMatchObject({ Research: { members: { "ada@example.com": "owner" } } });
    expect([webhooks, aliases]).toEqual([undefined, { "gpt-*": "omega" }]);
    const inUse = await apply(sotto, `plans: {}`, "--prune", "--yes");
    expect(inUse.stderr).toContain("plans.research: Accounts are on this plan");
  });

  it("writes each change to the audit trail, as done by the command line, and no secret anywhere", async () => {
    const { stdout, stderr } = await apply(sotto, everything, "--yes", "--json");
    const lines = await auditLines();
    for (const action of [
      "changed operator details ",
      "changed required second factor ",
      "saved plan research",
      "changed aliases ",
      "changed source of model prism",
      "saved identity provider example",
      "created team team_",
      "added member of team acc_",
      "changed limits in team acc_",
      "created webhook wh_",
    ])
      expect(
        lines.some((line) => line.startsWith(`command line: ${action}`)),
        action,
      ).toBe(true);
    const another = await apply(sotto, everything.replace("env: OIDC_SECRET", "env: GPU_KEY"), "--yes");
    expect(another.stdout).toContain("clientSecret: another secret");
    for (const secret of Object.values(secrets))
      expect([stdout, stderr, another.stdout, another.stderr, ...lines].join("\n")).not.toContain(secret);
  });

  it("keeps a secret whose reference leads nowhere, if there is one", async () => {
    const file = everything.replaceAll("env: OIDC_SECRET", "env: NOT_SET");
    expect((await apply(sotto, file, "--yes")).stderr).toContain(
      "sotto.yaml:25:5: providers.example.clientSecret: There is no secret to keep: the variable NOT_SET is not there.",
    );
    await apply(sotto, everything, "--yes");
    const kept = await apply(sotto, file, "--yes");
    expect(kept).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
    expect(kept.stderr).toContain("providers.example.clientSecret stays as it is");
  });

  it("leaves to the configuration what it sets", async () => {
    Object.assign(sotto.env, {
      SOTTO_MODEL_ALIASES: "a=omega",
      SOTTO_MODELS_OMEGA_WEIGHTS: "starter",
      SOTTO_OWNER_NAME: "Acme",
    });
    const exported = await sotto.json("export");
    expect(exported).not.toHaveProperty("aliases");
    expect(exported).not.toHaveProperty("models.omega");
    expect((await apply(sotto, "aliases: { b: omega }", "--yes")).stderr).toContain("SOTTO_MODEL_ALIASES");
    expect((await apply(sotto, "operator: { name: Other }", "--yes")).stderr).toContain("SOTTO_OWNER_NAME");
    const weights = await apply(sotto, "models: { omega: { weights: a.gguf } }", "--yes");
    expect(weights.stderr).toContain("SOTTO_MODELS_OMEGA_WEIGHTS");
  });

  it("seals no secret under a key that the servers do not have", async () => {
    await apply(sotto, everything, "--yes");
    sotto.env.SOTTO_SECRET_KEY = "another key, which is long enough to be one";
    const refused = await apply(sotto, everything.replace("clientId: sotto", "clientId: other"), "--yes");
    expect(refused.stderr).toContain("encrypted under another service key");
    expect(await apply(sotto, "plans: { free: { weight: 2 } }", "--yes")).toMatchObject({ code: 0 });
  });

  it("tells teams of the same name apart by their ids, and renames by them", async () => {
    for (const _ of [1, 2]) await sotto.json("teams", "create", "Twins", "--owner", "ada@example.com");
    const { stdout } = await sotto.run("export");
    expect(await apply(sotto, stdout, "--check", "--prune")).toMatchObject({ code: 0 });
    const [{ id }] = (await sotto.json("teams", "list")) as [{ id: string }];
    expect((await apply(sotto, `teams: { ${id}: { name: Other } }`, "--yes")).stdout).toContain(
      "name: Twins → Other",
    );
    const unknown = await apply(sotto, "teams: { team_none: { planId: free } }", "--yes");
    expect(unknown.stderr).toContain("There is no team with this id");
  });

  it("is taken up by a server that runs", async () => {
    // More than it asks while it waits.
    const enough = "plans: { free: { requestsPerMinute: 100000 } }";
    expect(await apply(sotto, enough, "--yes")).toMatchObject({ code: 0 });
    const service = await startDashboard({ env: { SOTTO_DATA_DIR: sotto.dataDir } });
    try {
      const caller = await newApiCaller(service.app.store, "carol@example.com");
      const headers = { authorization: `Bearer ${caller.text}` };
      const ask = () => fetch(`${service.url}/v1/models/my-model`, { headers });
      expect((await ask()).status).toBe(404);
      const text = "aliases: { my-model: prism }\nplans: { free: { requestsPerMinute: 77 } }";
      expect(await apply(sotto, text, "--yes")).toMatchObject({ code: 0 });
      const answer = await eventually(async () => {
        const response = await ask();
        return response.status === 200 && response;
      });
      expect(await answer.json()).toMatchObject({ alias_of: "prism" });
      expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("77");
    } finally {
      await service.close();
    }
  });
});

describe("a bad file", () => {
  // One for all of them: nothing changes.
  let line: CommandLine;
  let before: unknown;
  beforeAll(async () => {
    line = await CommandLine.open();
    await createAccounts(line);
    before = await line.json("export");
  });
  afterAll(() => line.dispose());

  it.each([
    ["a list", "- a", "sotto.yaml:1:1: Write sections, such as plans."],
    ["broken YAML", "plans:\n  a: [", "sotto.yaml:2:7: "],
    ["a section twice", "plans: {}\nplans: {}", "sotto.yaml:2:1: Map keys must be unique"],
    ["a section that is none", "planz: {}", "1:1: planz: There is no such field; did you mean plans?"],
    ["a section of the wrong kind", "plans: 1", "1:1: plans: Write the name of each plan and what it has."],
    [
      "a field that is none",
      "plans:\n  free:\n    requests_per_minute: 5",
      "3:5: plans.free.requests_per_minute: There is no such field; did you mean requestsPerMinute?",
    ],
    [
      "a value that is out of range",
      "plans:\n  free: { requestsPerMinute: 0 }",
      "2:11: plans.free.requestsPerMinute: Enter a whole number from 1 to 1,000,000,000.",
    ],
    [
      "a new plan without limits",
      "plans:\n  new: { name: New }",
      "2:3: plans.new.maxKeys: Enter a whole number",
    ],
    [
      "a plan's id",
      `plans:\n  New Plan: ${plan}`,
      "2:3: plans.New Plan.id: A plan's id has lowercase letters",
    ],
    ["a model that is none", "models:\n  gpt: default", "2:3: models.gpt: There is no such model: use omega"],
    ["a model that must be there", "models:\n  omega: off", "2:3: models.omega: Write 'default', 'weights'"],
    [
      "weights that are not there",
      "models:\n  omega: { weights: none.gguf }",
      "2:3: models.omega: There is no ",
    ],
    [
      "a secret in the file",
      `models:\n  omega:\n    engines:\n      - { url: "http://127.0.0.1:9", profile: vllm, key: abc }`,
      "4:53: models.omega.engines.0.key: Write a secret as a reference",
    ],
    [
      "a field of an engine that is none",
      `models:\n  omega:\n    engines:\n      - { url: "http://127.0.0.1:9", profile: vllm, wait: 1 }`,
      "4:53: models.omega.engines.0.wait: There is no such field",
    ],
    [
      "an alias to nothing",
      "aliases: { a: gpt }",
      "1:1: aliases: The list maps 'a' to a model that does not exist",
    ],
    ["a team without an owner", "teams: { R: { planId: free } }", "1:10: teams.R.members: A new team needs"],
    [
      "a member without an account",
      "teams:\n  R:\n    planId: free\n    members:\n      eve@example.com: owner",
      "5:7: teams.R.members.eve@example.com: No account has this address",
    ],
    [
      "a network that is none",
      "teams:\n  R:\n    planId: free\n    allowFrom: [here]\n    members: { ada@example.com: owner }",
      "4:5: teams.R.allowFrom: Write up to",
    ],
    [
      "a plan that is none",
      "teams:\n  R:\n    planId: none\n    members: { ada@example.com: owner }",
      "3:5: teams.R.planId: There is no such plan.",
    ],
    [
      "a webhook's address",
      "webhooks:\n  ftp://a: {}",
      "2:3: webhooks.ftp://a.url: Enter an address that begins",
    ],
    [
      "a provider's issuer",
      "providers:\n  a: { name: A, clientId: a, issuer: http://a.example }",
      "2:30: providers.a.issuer: Enter the issuer's address",
    ],
  ])("is refused for %s, with its line, and changes nothing", async (_what, text, expected) => {
    // What comes before it would be applied.
    const whole =
      text.includes("plans:") || text.startsWith("-") ? text : `${text}\nplans: { first: ${plan} }`;
    const { code, stderr } = await apply(line, whole, "--yes");
    expect(stderr).toContain(expected);
    expect(code).toBe(1);
    expect(await line.json("export")).toEqual(before);
  });
});

describe("the file's description", () => {
  beforeEach(open);
  afterEach(() => sotto.dispose());

  const examples = async (): Promise<string[]> => {
    const page = await readFile("docs/apply.md", "utf8");
    return [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);
  };

  it("has an example that can be applied", async () => {
    const [example = ""] = await examples();
    expect(await apply(sotto, example, "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(await apply(sotto, example, "--check")).toMatchObject({ code: 0 });
  });

  it("has a schema that its examples and every export follow, and mistakes do not", async () => {
    const { stdout } = await sotto.run("apply", "--schema");
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
      JSON.parse(stdout) as object,
    );
    await apply(sotto, everything, "--yes");
    for (const text of [...(await examples()), everything, (await sotto.run("export")).stdout])
      expect(isValid(parse(text) ?? {}), JSON.stringify(isValid.errors)).toBe(true);
    for (const text of [
      "plans: { a: { nam: A } }",
      "models: { gpt: default }",
      everything.replace("{ env: OIDC_SECRET }", "abc"),
    ])
      expect(isValid(parse(text)), text).toBe(false);
  });
});
