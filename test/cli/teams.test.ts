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
    const add = ["teams", "add", "Research", "grace@example.com"];
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
