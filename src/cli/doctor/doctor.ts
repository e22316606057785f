/** `sotto doctor`: looks at everything the service needs here, and says what to do about what it lacks. */
import type { Command } from "commander";
import { CommanderError } from "commander";
import type { Check, Finding } from "./finding.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { StoreError } from "../../store/store-error.js";

export function doctorCommand(program: Command): void {
  storeCommand(program, "doctor", "check everything the service needs, and say what to do next")
    .option("--probe", "try the GPU again instead of reporting what is remembered, and remember the result")
    .action(async ({ probe = false }: { probe?: boolean }, command: Command) => {
      const config = readSettings(command);
      // Loaded here, since every other command starts faster without it.
      const { checks } = await import("./checks.js");
      const findings: Finding[] = [];
      for (const check of checks) findings.push(...(await runCheck(check, config, { probe })));
      report(command, { ok: !findings.some(isBroken), findings }, describe(findings));
      // Said already: only the exit code is left to give.
      if (findings.some(isBroken)) throw new CommanderError(1, "commander.error", "");
    });
}

/** A check that throws has found something, too. */
async function runCheck(check: Check, ...given: Parameters<Check>): Promise<Finding[]> {
  try {
    return await check(...given);
  } catch (error) {
    const name = check.name.replace(/^check/, "").toLowerCase();
    if (error instanceof StoreError && error.next !== undefined) {
      return [{ name, state: "broken", detail: error.reason, next: error.next }];
    }
    const detail = error instanceof Error ? error.message : "unknown error";
    return [{ name, state: "broken", detail }];
  }
}

const isBroken = ({ state }: Finding): boolean => state === "broken";

const marks = { ok: "ok    ", hint: "hint  ", broken: "BROKEN" } as const;

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, detail, next }) => [
    `${marks[state]}  ${name.padEnd(width)}  ${detail}`,
    ...(next === undefined ? [] : [`${" ".repeat(width + 10)}→ ${next}`]),
  ]);
  const broken = findings.filter(isBroken).length;
  const end =
    broken === 0 ? "Nothing is broken." : `${broken === 1 ? "One thing is" : `${broken} things are`} broken.`;
  return `${lines.join("\n")}\n\n${end}`;
}
