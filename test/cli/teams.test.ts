import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
beforeEach(async () => {
  sotto = await CommandLine.open();
  await sotto.json("accounts", "create", "ada@example.com");
});
afterEach(() => sotto.dispose());

describe("sotto teams", () => {
  it("creates, lists, shows, moves, suspends and deletes one", async () => {
    const created = await sotto.json("teams", "create", "Research", "--owner", "ada@example.com");
    expect(created).toMatchObject({ name: "Research", plan: "free", state: "active" });
    await sotto.json("plans", "create", "large");
    expect(await sotto.json("teams", "plan", "Research", "large")).toMatchObject({ plan: "large" });
    expect(await sotto.json("teams", "list")).toMatchObject([{ name: "Research", members: 1, keys: 0 }]);
    expect((await sotto.run("teams", "list")).stdout).toMatch(/^NAME +PLAN +STATE +MEMBERS/);
    expect(await sotto.json("teams", "suspend", "Research")).toMatchObject({ state: "suspended" });
    expect(await sotto.json("teams", "resume", "Research")).toMatchObject({ state: "active" });
    const shown = await sotto.run("teams", "show", "Research");
    expect(shown.stdout).toMatch(/ada@example\.com +owner/);
    await sotto.json("accounts", "create", "grace@example.com");
    const add = ["teams", "member", "Research", "grace@example.com"];
    expect(await sotto.json(...add)).toMatchObject({ email: "grace@example.com", role: "member" });
    expect(await sotto.json(...add, "--role", "viewer")).toMatchObject({ role: "viewer" });
    await sotto.json("accounts", "delete", "grace@example.com", "--yes");
    // The list of accounts has people only.
    expect(await sotto.json("accounts", "list")).toHaveLength(1);
    const refused = await sotto.run("accounts", "delete", "ada@example.com", "--yes");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("only owner of the team 'Research'");
    expect(await sotto.json("teams", "delete", "Research", "--yes")).toMatchObject({
      deleted: true,
      members: 1,
    });
    expect(await sotto.json("teams", "list")).toEqual([]);
  });

  it("says what is wrong", async () => {
    const noOwner = await sotto.run("teams", "create", "Research", "--owner", "eve@example.com");
    expect(noOwner.stderr).toContain("No account has this address");
    expect((await sotto.run("teams", "show", "Nobody")).stderr).toContain("There is no such team");
    for (const _ of [1, 2]) await sotto.json("teams", "create", "Twins", "--owner", "ada@example.com");
    expect((await sotto.run("teams", "suspend", "Twins")).stderr).toContain("Several teams have this name");
  });
});

describe("sotto teams, about members, quotas and keys", () => {
  beforeEach(async () => {
    await sotto.json("accounts", "create", "bob@example.com");
    await sotto.json("teams", "create", "Research", "--owner", "ada@example.com");
  });

  it("adds, changes and removes members, and their limits", async () => {
    expect(await sotto.json("teams", "member", "Research", "bob@example.com")).toMatchObject({
      role: "member",
    });
    const viewer = await sotto.run("teams", "member", "Research", "bob@example.com", "--role", "viewer");
    expect(viewer.stdout).toContain("bob@example.com is a viewer of the team Research.");
    const limits = ["teams", "limits", "Research", "bob@example.com"];
    await sotto.json(...limits, "--tokens-per-day", "500", "--concurrent", "2");
    expect((await sotto.run(...limits, "--concurrent", "none")).stdout).toContain(
      "Research: 500 tokens/day.",
    );
    const last = await sotto.run("teams", "remove-member", "Research", "ada@example.com", "--yes");
    expect(last.stderr).toContain("A team needs an owner");
    expect(await sotto.json("teams", "remove-member", "Research", "bob@example.com", "--yes")).toMatchObject({
      removed: true,
    });
    expect((await sotto.run(...limits)).stderr).toContain("There is no such member");
  });

  it("sets quotas, and leaves those that are not given", async () => {
    await sotto.json("teams", "quotas", "Research", "--tokens-per-day", "5000", "--requests-per-month", "9");
    expect(await sotto.json("teams", "quotas", "Research", "--requests-per-month", "none")).toMatchObject({
      quotas: { tokens_per_day: 5000, requests_per_month: null },
    });
  });

  it("creates service keys and keys of members, who must be allowed to have some", async () => {
    const service = await sotto.json("keys", "create", "--team", "Research", "--name", "ci");
    expect(service).toMatchObject({ name: "ci", member_id: null });
    const own = await sotto.json("keys", "create", "ada@example.com", "--team", "Research");
    expect(own).toMatchObject({ member_id: expect.stringMatching(/^acc_/) as unknown });
    expect(await sotto.json("keys", "list", "--team", "Research")).toHaveLength(2);
    expect(await sotto.json("keys", "list", "ada@example.com", "--team", "Research")).toHaveLength(1);
    expect(await sotto.json("keys", "list", "ada@example.com")).toEqual([]);
    const stranger = await sotto.run("keys", "create", "bob@example.com", "--team", "Research");
    expect(stranger.stderr).toContain("bob@example.com is not in the team Research");
    await sotto.json("teams", "member", "Research", "bob@example.com", "--role", "viewer");
    const viewer = await sotto.run("keys", "create", "bob@example.com", "--team", "Research");
    expect(viewer.stderr).toContain("who has no keys");
    expect((await sotto.run("keys", "create")).stderr).toContain("Name an account, or a team with --team");
  });
});
