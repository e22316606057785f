import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { vi } from "vitest";
import { z } from "zod";
import { addCommands } from "../../src/cli/command-list.js";
import { provideEnvironment } from "../../src/cli/environment.js";
import { newProgram, runProgram } from "../../src/cli/program.js";
import { newDatabaseFolder } from "../support/processes/run-folder.js";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The commands on a data directory of their own, with nothing of this process's environment. */
export class CommandLine {
  constructor(
    readonly dataDir: string,
    /** More settings for the commands. */
    readonly env: Record<string, string> = {},
  ) {}

  static async open(): Promise<CommandLine> {
    return new CommandLine(await newDatabaseFolder("sotto-cli-"));
  }

  /** Runs a command in this process, which is much faster than starting one for each. */
  async run(...args: string[]): Promise<CommandResult> {
    const result: CommandResult = { code: null, stdout: "", stderr: "" };
    const writeOut = (text: string): void => void (result.stdout += text);
    const writeErr = (text: string): void => void (result.stderr += text);
    const log = vi.spyOn(console, "log").mockImplementation((text: string) => writeOut(`${text}\n`));
    const error = vi.spyOn(console, "error").mockImplementation((text: string) => writeErr(`${text}\n`));
    try {
      const program = newProgram().configureOutput({ writeOut, writeErr });
      provideEnvironment(program, { SOTTO_DATA_DIR: this.dataDir, ...this.env });
      await addCommands(program, args);
      const code = await runProgram(program, ["node", "sotto", ...args]);
      return { ...result, code };
    } finally {
      log.mockRestore();
      error.mockRestore();
    }
  }

  /** The object or list that a command prints with `--json`; throws when it fails. */
  async json(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...args, "--json");
    if (code !== 0) throw new Error(`sotto ${args.join(" ")} ended with ${code ?? "a signal"}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Creates a key and returns its id and text. */
  async createKey(email: string, ...options: string[]): Promise<{ id: string; key: string }> {
    const issued = z.object({ id: z.string(), key: z.string() });
    return issued.parse(await this.json("keys", "create", email, ...options));
  }

  /** Runs the built program in a process of its own, as people do. */
  async start(
    args: readonly string[],
    { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<CommandResult> {
    const child = spawn(process.execPath, ["dist/main.js", ...args], {
      env: { SOTTO_DATA_DIR: this.dataDir, ...this.env, ...env },
      stdio: "pipe",
    });
    const result: CommandResult = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
    child.stdin.on("error", () => {}).end(input);
    await once(child, "close");
    return { ...result, code: child.exitCode };
  }

  async dispose(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
