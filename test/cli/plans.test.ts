import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
beforeEach(async () => {
  sotto = await CommandLine.open();
});
afterEach(() => sotto.dispose());

describe("sotto plans", () => {
  it("lists the plan that new accounts get, generous by default", async () => {
    expect(await sotto.json("plans", "list")).toEqual([
      {
        id: "free",
        name: "Free",
        requests_per_minute: 600,
        tokens_per_minute: 200_000,
        concurrent_requests: 16,
        max_keys: expect.any(Number) as unknown,
        max_tokens: null,
        requests_per_day: null,
        tokens_per_day: null,
        requests_per_month: null,
        tokens_per_month: null,
        models: null,
        requires_encryption: false,
        weight: 1,
        accounts: 0,
      },
    ]);
    expect((await sotto.run("plans", "list")).stdout).toMatch(/^ID +NAME +REQUESTS\/MIN/);
  });

  it("makes, changes and deletes one", async () => {
    const options = ["--name", "Team", "--requests-per-minute", "3000", "--models", "omega,prism"];
    expect(await sotto.json("plans", "create", "team", ...options)).toMatchObject({
      id: "team",
      name: "Team",
      requests_per_minute: 3000,
      tokens_per_minute: 200_000,
      models: ["omega", "prism"],
    });
    const changes = ["--max-tokens", "100", "--models", "all", "--keys", "3", "--concurrent", "2"];
    expect(await sotto.json("plans", "set", "team", ...changes)).toMatchObject({
      name: "Team",
      requests_per_minute: 3000,
      max_tokens: 100,
      models: null,
      max_keys: 3,
      concurrent_requests: 2,
    });
    expect(await sotto.json("plans", "set", "team", "--max-tokens", "none")).toMatchObject({
      max_tokens: null,
    });
    const quotas = ["--tokens-per-day", "5000000000", "--requests-per-month", "900"];
    expect(await sotto.json("plans", "set", "team", ...quotas)).toMatchObject({
      tokens_per_day: 5_000_000_000,
      requests_per_month: 900,
      requests_per_day: null,
    });
    expect((await sotto.run("plans", "list")).stdout).toContain("5000000000 tokens/day, 900 requests/month");
    expect(await sotto.json("plans", "set", "team", "--tokens-per-day", "none")).toMatchObject({
      tokens_per_day: null,
      requests_per_month: 900,
    });
    expect(await sotto.json("plans", "set", "team", "--require-encryption", "on")).toMatchObject({
      requires_encryption: true,
    });
    expect(await sotto.json("plans", "set", "team", "--keys", "4")).toMatchObject({
      requires_encryption: true,
    });
    expect(await sotto.json("plans", "set", "team", "--require-encryption", "off")).toMatchObject({
      requires_encryption: false,
    });
    expect(await sotto.json("plans", "set", "team", "--weight", "3")).toMatchObject({ weight: 3 });
    expect(await sotto.json("plans", "set", "team", "--keys", "5")).toMatchObject({ weight: 3 });
    expect((await sotto.run("plans", "set", "team", "--weight", "101")).stderr).toContain("from 1 to 100");
    expect((await sotto.run("plans", "delete", "team")).code).toBe(0);
    expect(await sotto.json("plans", "list")).toHaveLength(1);
  });

  it("explains invalid input", async () => {
    const refusals: [args: string[], code: number, says: string][] = [
      [["set", "nope", "--keys", "1"], 1, "There is no such plan."],
      [["create", "free"], 1, "There is a plan 'free' already."],
      [["create", "Big Plan"], 1, "A plan's id has lowercase letters, digits and hyphens."],
      [["set", "free", "--keys", "0"], 2, "Write a whole number from 1"],
      [["set", "free", "--models", "gpt"], 2, "Write one or more of omega, prism, lambda"],
      [["delete", "free"], 1, "It can be changed, not deleted."],
      [["delete", "nope"], 1, "There is no such plan."],
    ];
    for (const [args, code, says] of refusals) {
      const result = await sotto.run("plans", ...args);
      expect(result.stderr).toContain(says);
      expect(result.code).toBe(code);
    }
  });

  it("keeps a plan that accounts are on", async () => {
    await sotto.run("plans", "create", "team");
    await sotto.run("accounts", "create", "ada@example.com", "--plan", "team");
    const { code, stderr } = await sotto.run("plans", "delete", "team");
    expect([code, stderr]).toEqual([1, expect.stringContaining("Accounts are on this plan.")]);
  });
});
