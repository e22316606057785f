/**
 * Log lines for people: the JSON line that `log.ts` has built, written in another way. It reads nothing else, so the
 * allowlist there decides what can be in a line here, too.
 */
import { type LogOutput, standardErrorOutput } from "../../adapters/log-output.js";
import type { Config } from "../../config.js";
import { paint, type Style, typed } from "../terminal.js";

/** Where a server logs to, in the format that is set. */
export function logOutput(
  format: Config["service"]["logFormat"],
  output: LogOutput = standardErrorOutput(),
  isTerminal: boolean = process.stderr.isTTY,
): LogOutput {
  if (format === "json" || (format === "auto" && !isTerminal)) return output;
  return {
    write: (line) => {
      output.write(`${lineForPeople(JSON.parse(line) as Line)}\n`);
    },
    flush: () => output.flush?.(),
  };
}

type Value = string | number | boolean | string[];
type Line = { level: number; time: string; msg: string } & Record<string, Value>;

const levels: Record<number, { name: string; style: Style }> = {
  10: { name: "trace", style: "dim" },
  20: { name: "debug", style: "dim" },
  30: { name: "info ", style: "green" },
  40: { name: "warn ", style: "yellow" },
  50: { name: "error", style: "red" },
};

/** `09:05:59 info  POST /v1/chat/completions 200  model=omega …`, the time in this machine's zone. */
function lineForPeople({ level, time, msg, ...fields }: Line): string {
  const { name, style } = levels[level] ?? { name: "     ", style: "dim" };
  const { method, route, status, at, ...rest } = fields;
  const what =
    msg === "request" ? [method, route, status].filter((part) => part !== undefined).join(" ") : typed(msg);
  const more = Object.entries(rest).map(
    ([field, value]) => `${paint("dim", `${field}=`, "stderr")}${String(value)}`,
  );
  const stack = Array.isArray(at) ? at.map((frame) => `\n    ${paint("dim", frame, "stderr")}`).join("") : "";
  const clock = paint("dim", new Date(time).toTimeString().slice(0, 8), "stderr");
  const shown = typeof status === "number" && status >= 500 ? paint("red", what, "stderr") : what;
  return [clock, paint(style, name, "stderr"), [shown, ...more].join("  ")].join(" ") + stack;
}
