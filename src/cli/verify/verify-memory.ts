/** What `sotto verify` remembers of the services it has checked: one file of the user's own. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../adapters/make-folder.js";
import { CannotVerify, type Remembered, rememberedSchema } from "../../protocol/proof/verify.js";
import type { Environment } from "../environment.js";

const fileSchema = z.object({ services: z.record(z.string(), rememberedSchema) });

export class VerifyMemory {
  readonly #file: string;

  constructor(env: Environment) {
    const configured = env["XDG_CONFIG_HOME"] ?? "";
    const folder = configured === "" ? join(env["HOME"] ?? homedir(), ".config") : configured;
    this.#file = join(folder, "sotto", "verify.json");
  }

  read(service: string): Remembered | null {
    return this.#services()[service] ?? null;
  }

  write(service: string, remembered: Remembered): void {
    const services = { ...this.#services(), [service]: remembered };
    try {
      makeFolder(dirname(this.#file));
      writeFileSync(`${this.#file}.new`, `${JSON.stringify({ services }, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      throw new CannotVerify(`It holds, but cannot be remembered: ${this.#file} cannot be written.`);
    }
  }

  /** An unreadable file is no reason to start again: what was pinned would be lost in silence. */
  #services(): Record<string, Remembered> {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
      throw new CannotVerify(`${this.#file} cannot be read.`);
    }
    try {
      return fileSchema.parse(JSON.parse(text)).services;
    } catch {
      throw new CannotVerify(
        `${this.#file} is not what 'sotto verify' wrote. Restore it, or delete it to pin again.`,
      );
    }
  }
}
