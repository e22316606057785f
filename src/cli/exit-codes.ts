/** How a run of the program ends. */
import { CommanderError } from "commander";

/** For `throw`, where everything has been said already: this only sets the exit code. */
export const endWith = (code: number): CommanderError => new CommanderError(code, "commander.error", "");

/** Commander ends with 1 for wrong usage and help alike; an `exitCode` of our own stays. */
export function exitCodeOf(error: CommanderError): number {
  if (error.code === "commander.error") return error.exitCode;
  return error.exitCode === 0 ? 0 : 2;
}

export interface ExitCode {
  code: number;
  meaning: string;
}

/** Of every command. */
export const exitCodes: readonly ExitCode[] = [
  { code: 0, meaning: "it worked" },
  { code: 1, meaning: "it could not be done, or not all of it; the reason is on stderr" },
  { code: 2, meaning: "it was used in the wrong way, and nothing was done" },
];

/** Of commands that answer a question: what else a code means there. */
export const answers: Readonly<Record<string, readonly ExitCode[]>> = {
  "apply --check": [{ code: 2, meaning: "the file would change something" }],
  chat: [{ code: 130, meaning: "a second Ctrl-C ended it in the middle of a reply" }],
  doctor: [{ code: 1, meaning: "something is broken" }],
  "privacy check": [
    { code: 1, meaning: "a mark was found" },
    { code: 2, meaning: "the check could not run" },
  ],
  "service status": [{ code: 1, meaning: "the service does not run" }],
  "upgrade --check": [
    { code: 1, meaning: "the upgrade would be refused" },
    { code: 2, meaning: "migrations would run" },
  ],
  verify: [
    { code: 1, meaning: "something does not hold" },
    { code: 2, meaning: "it could not be checked" },
  ],
};
