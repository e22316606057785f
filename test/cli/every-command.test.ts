/** What holds for all commands, looked at in one process. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addCommands, commandNames } from "../../src/cli/command-list.js";
import { commandTree, flatten } from "../../src/cli/command-tree.js";
import { answers, exitCodes } from "../../src/cli/exit-codes.js";
import { newProgram } from "../../src/cli/program.js";
import { provideTerminal, typed } from "../../src/cli/terminal.js";
import { databasePath } from "../../src/store/sql/sqlite.js";
import { readExpected, restoreSqlite } from "../support/stores/upgrade-fixture.js";
import { CommandLine } from "./run.js";

const program = newProgram();
await addCommands(program, ["help"]);
const nodes = flatten(commandTree(program));
const leaves = nodes.filter(({ subcommands }) => subcommands.length === 0);

let sotto: CommandLine;
beforeAll(async () => {
  const { secretKey } = readExpected("0.1.0");
  const { dataDir } = await CommandLine.open();
  sotto = new CommandLine(dataDir, { SOTTO_SECRET_KEY: secretKey });
  restoreSqlite("0.1.0", databasePath(dataDir));
  await sotto.json("upgrade");
});
afterAll(() => sotto.dispose());

describe("--json", () => {
  /** They talk to a person, or print a text for another program. */
  const withoutJson = ["serve", "chat", "service logs", "completion", "help"];

  it.each(leaves.map(({ path, options }) => ({ path, options })))("sotto $path", ({ path, options }) => {
    const hasJson = options.some(({ long }) => long === "--json");
    expect(hasJson).toBe(!withoutJson.includes(path));
  });

  /** With what they need to answer. */
  const listings: Record<string, string[]> = {
    "accounts list": [],
    "keys list": ["ada@example.com"],
    "teams list": [],
    "teams show": ["Research"],
    "plans list": [],
    "models list": [],
    "models catalog": [],
    "engine list": [],
    "changelog list": [],
    "maintenance list": [],
    "proof show": [],
  };

  it("is tried on every command that lists or shows", () => {
    const found = leaves.filter(
      ({ path, command }) => !withoutJson.includes(path) && /^(list|show)\b/.test(command.description()),
    );
    expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(listings).sort());
  });

  it.each(Object.entries(listings))("of sotto %s can be read by a program", async (path, args) => {
    const { code, stdout, stderr } = await sotto.run(...path.split(" "), ...args, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toBeInstanceOf(Object);
  });
});

describe("exit codes", () => {
  it("are those that are documented", () => {
    const known = [exitCodes, ...Object.values(answers)].flat().map(({ code }) => code);
    const files = readdirSync("src/cli", { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const used = files.flatMap((name) =>
      [
        ...readFileSync(join("src/cli", name), "utf8").matchAll(
          /(?:exitCode: |endWith\(|process\.exit\()(\d+)/g,
        ),
      ].map(([, code]) => Number(code)),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((code) => !known.includes(code))).toEqual([]);
    const paths = nodes.map(({ path }) => path);
    for (const command of Object.keys(answers)) expect(paths).toContain(command.replace(/ --.*/, ""));
  });
});

describe("sotto help", () => {
  it("--all shows every command and the exit codes", async () => {
    const { code, stdout } = await sotto.run("help", "--all");
    expect(code).toBe(0);
    for (const { path } of nodes) expect(stdout).toContain(`\n\nUsage: sotto ${path}`.trimEnd());
    expect(stdout).toContain("\nEXIT CODES\n");
  });

  it("shows one command, and refuses one that does not exist", async () => {
    expect((await sotto.run("help", "keys", "create")).stdout).toContain("Usage: sotto keys create");
    expect(await sotto.run("help", "kees")).toMatchObject({ code: 1, stdout: "" });
  });

  it("names every command as it can be typed here", () => {
    const started = { script: "/opt/bin/main.js", nodePath: "/opt/node", folder: "/", env: {} };
    provideTerminal(started, { stdout: false, stderr: false });
    try {
      for (const name of commandNames) expect(typed(`sotto ${name}`)).not.toMatch(/^sotto/);
    } finally {
      provideTerminal(
        { ...started, script: "/bin/sotto", env: { PATH: "/bin" } },
        { stdout: false, stderr: false },
      );
    }
  });
});

describe("sotto completion", () => {
  it("completes commands, options and values in bash", async () => {
    const { stdout: script } = await sotto.run("completion", "bash");
    const asked = [
      ["sotto", "ke"],
      ["sotto", "keys", ""],
      ["sotto", "keys", "create", "--na"],
      ["sotto", "--config", "x", "keys", "re"],
      ["sotto", "connect", "--model", ""],
      ["sotto", "keys", "create", "--name", ""],
    ];
    const lines = asked.map(
      (words) => `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
        COMPREPLY=(); _sotto; echo "\${COMPREPLY[*]}"`,
    );
    const input = [script, "complete -p sotto", ...lines].join("\n");
    const printed = execFileSync("bash", ["--norc", "--noprofile"], { input, encoding: "utf8" });
    expect(printed.trimEnd().split("\n")).toEqual([
      "complete -o default -F _sotto sotto",
      "keys",
      "create list revoke rotate",
      "--name",
      "revoke",
      "omega prism lambda",
    ]);
  });

  it.each(["bash", "zsh", "fish"])("knows every command in %s", async (shell) => {
    const { stdout } = await sotto.run("completion", shell);
    for (const { path } of nodes) if (path !== "") expect(stdout).toContain(`' ${path}'`);
  });

  it("refuses a shell that it does not know", async () => {
    expect(await sotto.run("completion", "tcsh")).toMatchObject({ code: 2, stdout: "" });
  });
});
