/** `sotto doctor`: checks everything the service needs, and says how to fix what is missing. */
import type { Command } from "commander";
import { broken, type Check, type Finding } from "./finding.js";
import { endWith } from "../exit-codes.js";
import { report } from "../output.js";
import { paint } from "../terminal.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { StoreError } from "../../store/store-error.js";

export function doctorCommand(program: Command): void {
  storeCommand(program, "doctor", "check everything the service needs, and say what to do next")
    .option("--probe", "probe the GPU again instead of reporting the cached result, and cache the new one")
    .notes(
      `
Every line is ok, hint or BROKEN, with what to do about it. "models that fit" lists what this machine has the memory for.
It ends with 1 when something is broken.`,
    )
    .action(async ({ probe = false }: { probe?: boolean }, command: Command) => {
      const config = readSettings(command);
      // Loaded here, since every other command starts faster without it.
      const { checks } = await import("./checks.js");
      const findings: Finding[] = [];
      for (const check of checks) findings.push(...(await runCheck(check, config, { probe })));
      report(command, { ok: !findings.some(isBroken), findings }, describe(findings));
      if (findings.some(isBroken)) throw endWith(1);
    });
}

/** What a check throws is a finding. */
async function runCheck(check: Check, ...given: Parameters<Check>): Promise<Finding[]> {
  try {
    return await check(...given);
  } catch (error) {
    const name = check.name.replace(/^check/, "").toLowerCase();
    if (error instanceof StoreError && error.next !== undefined) {
      return [broken(name, error.reason, error.next)];
    }
    const detail = error instanceof Error ? error.message : "unknown error";
    return [broken(name, detail)];
  }
}

const isBroken = ({ state }: Finding): boolean => state === "broken";

const marks = {
  ok: () => paint("green", "ok    "),
  hint: () => paint("yellow", "hint  "),
  broken: () => paint(["red", "bold"], "BROKEN"),
} as const;

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, detail, next }) => [
    `${marks[state]()}  ${name.padEnd(width)}  ${detail}`,
    ...(next === undefined ? [] : [`${" ".repeat(width + 10)}→ ${next}`]),
  ]);
  const broken = findings.filter(isBroken).length;
  const end =
    broken === 0 ? "Nothing is broken." : `${broken === 1 ? "One thing is" : `${broken} things are`} broken.`;
  return `${lines.join("\n")}\n\n${end}`;
}
