import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyPassword } from "../../src/adapters/password-hash.js";
import { databasePath } from "../../src/store/sql/sqlite.js";
import { CommandLine } from "./run.js";
import { connect } from "../../src/store/sql/sqlite/connection.js";

/** What only a process of its own shows: its exit code, its streams, its standard input. */
let sotto: CommandLine;

beforeEach(async () => {
  sotto = await CommandLine.open();
});
afterEach(() => sotto.dispose());

// A few processes each, on a machine that may be busy with other tests.
const timeout = 120_000;

describe("the program", () => {
  it("prints results on stdout and ends with 0", { timeout }, async () => {
    await sotto.json("accounts", "create", "ada@example.com");
    const { code, stdout, stderr } = await sotto.start(["keys", "create", "ada@example.com", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ name: "default", state: "active" });
  });

  it("prints errors on stderr and ends with 1", { timeout }, async () => {
    expect(await sotto.start(["keys", "list", "bob@example.com"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'error: No account has the address "bob@example.com". Check its spelling, or create the account first.\n',
    });
  });

  it("ends with 2 when used wrongly", { timeout }, async () => {
    expect(await sotto.start(["accounts", "crate"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("reports all errors of the configuration together and ends with 1", { timeout }, async () => {
    const env = { SOTTO_PORT: "many", SOTTO_DRAIN_MS: "-1" };
    const { code, stderr } = await sotto.start(["accounts", "list"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("SOTTO_PORT");
    expect(stderr).toContain("SOTTO_DRAIN_MS");
    expect(stderr).not.toContain("    at ");
  });

  it("takes a password from standard input and stores only its hash", { timeout }, async () => {
    const args = ["accounts", "create", "ada@example.com", "--password-stdin"];
    expect(await sotto.start(args, { input: "short\n" })).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: The password has 5 characters. Choose one with at least 10.\n",
    });
    expect((await sotto.start(args, { input: "correct horse battery\nmore" })).code).toBe(0);

    const database = connect(databasePath(sotto.dataDir));
    const [row] = database.prepare("select password_hash as stored from accounts").all();
    database.close();
    const stored = row instanceof Object && "stored" in row ? String(row.stored) : "";
    expect(await verifyPassword(stored, "correct horse battery")).toBe(true);
  });
});
