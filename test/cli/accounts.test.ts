import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databasePath } from "../../src/store/sql/sqlite.js";
import { CommandLine } from "./run.js";

let sotto: CommandLine;

beforeEach(async () => {
  sotto = await CommandLine.open();
});
afterEach(() => sotto.dispose());

describe("sotto accounts", () => {
  it("creates accounts and lists them in a table", async () => {
    expect((await sotto.run("accounts", "list")).stdout).toContain("No accounts yet. Create one:");
    const made = await sotto.run("accounts", "create", "ada@example.com");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("sotto keys create ada@example.com");
    await sotto.run("accounts", "create", "bob@very-long-name.example.com", "--admin");

    const { stdout } = await sotto.run("accounts", "list");
    const [heading = "", ada = "", bob = ""] = stdout.split("\n");
    expect(ada).toMatch(/^ada@example\.com +user +free +active +0 +20\d\d-\d\d-\d\d \d\d:\d\d +acc_/);
    expect(bob).toMatch(/^bob@very-long-name\.example\.com +admin/);
    expect(ada.indexOf("user")).toBe(heading.indexOf("ROLE"));
    expect(bob.indexOf("admin")).toBe(heading.indexOf("ROLE"));
  });

  it("prints JSON with every command", async () => {
    const email = "ada@example.com";
    const created = await sotto.json("accounts", "create", email, "--admin");
    expect(created).toMatchObject({
      email,
      role: "admin",
      plan: "free",
      state: "active",
      suspended_at: null,
    });
    expect(await sotto.json("accounts", "list")).toEqual([created]);
    expect(await sotto.json("accounts", "suspend", email)).toMatchObject({ email, state: "suspended" });
    expect(await sotto.json("accounts", "resume", email)).toEqual(created);
    expect(await sotto.json("accounts", "set-plan", email, "free")).toEqual(created);
    expect(await sotto.json("accounts", "delete", email, "--yes")).toMatchObject({ deleted: true });
    expect(await sotto.json("accounts", "list")).toEqual([]);
  });

  it("does not delete without --yes if there is no terminal to confirm on", async () => {
    await sotto.run("accounts", "create", "ada@example.com");
    const refused = await sotto.run("accounts", "delete", "ada@example.com");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Add --yes to confirm.");
    expect(await sotto.json("accounts", "list")).toHaveLength(1);
    expect(await sotto.run("accounts", "delete", "ada@example.com", "--yes")).toMatchObject({
      code: 0,
      stdout: "Deleted ada@example.com and its 0 keys.\n",
    });
  });

  it.each([
    [["accounts", "create", "not-an-address"], /is not an email address\. Write it like/],
    [["accounts", "suspend", "bob@example.com"], /Check its spelling, or create the account first\./],
  ])("answers %j with one line that says what to do, and exit code 1", async (args, message) => {
    const { code, stdout, stderr } = await sotto.run(...args);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });
});

describe("every command", () => {
  it.each([
    [[]],
    [["accounts"]],
    [["accounts", "create"]],
    [["accounts", "crate"]],
    [["accounts", "list", "--jsno"]],
    [["keys", "create", "ada@example.com", "--expires", "soon"]],
    [["kyes"]],
  ])("ends with 2 and says how when used wrongly: %j", async (args) => {
    const { code, stdout, stderr } = await sotto.run(...args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("--help");
  });

  it.each([
    [["--help"]],
    [["accounts", "create", "--help"]],
    [["keys", "create", "--help"]],
    [["keys", "rotate", "--help"]],
  ])("explains itself with examples: %j", async (args) => {
    const { code, stdout } = await sotto.run(...args);
    expect(code).toBe(0);
    expect(stdout).toContain("Examples:\n  sotto");
  });

  it("takes the data directory from its flag before the environment", async () => {
    const other = join(sotto.dataDir, "other");
    await sotto.run("accounts", "create", "ada@example.com", "--data-dir", other);
    await access(databasePath(other));
    expect(await sotto.json("accounts", "list")).toEqual([]);
    expect(await sotto.json("accounts", "list", "--data-dir", other)).toHaveLength(1);
  });

  it("names the data directory that cannot be used", async () => {
    const { code, stderr } = await sotto.run("accounts", "list", "--data-dir", "/dev/null/data");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The database \/dev\/null\/data\/sotto\.db cannot be opened: [^\n]+\n$/);
  });

  it("prints the version", async () => {
    expect((await sotto.run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
