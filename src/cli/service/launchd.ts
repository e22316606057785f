/**
 * Sotto under launchd, as an agent of the user: it runs while they are logged in. launchd reads no file of settings, so a
 * shell does, and the program takes its place.
 */
import { join } from "node:path";
import { settingsText, type Installation, type ServicePlan, type ServiceStatus } from "./service-plan.js";

const label = "chat.sotto.server";

export function launchdPlan({ command, home, uid }: Installation): ServicePlan {
  const dataDir = join(home, "Library/Application Support/Sotto");
  const settings = join(dataDir, "sotto.env");
  const log = join(home, "Library/Logs/Sotto/sotto.log");
  const plist = join(home, "Library/LaunchAgents", `${label}.plist`);
  const domain = `gui/${uid}`;
  const restart = `launchctl kickstart -k ${domain}/${label}`;
  return {
    scope: "user",
    files: [
      { path: plist, text: agent(command, settings, dataDir, log), mode: 0o644 },
      { path: settings, text: settingsText(restart), mode: 0o600, isSettings: true },
    ],
    dataDir,
    folders: [dataDir, join(home, "Library/Logs/Sotto")],
    probe: ["launchctl", "print", domain],
    enable: [["launchctl", "enable", `${domain}/${label}`]],
    // An agent that is loaded keeps its old description until it is loaded again.
    start: [
      [
        "sh",
        "-c",
        'launchctl bootout "$0" 2>/dev/null; exec launchctl bootstrap "$1" "$2"',
        `${domain}/${label}`,
        domain,
        plist,
      ],
    ],
    stop: [["launchctl", "bootout", `${domain}/${label}`]],
    forget: [],
    purge: [],
    status: ["launchctl", "print", `${domain}/${label}`],
    readStatus,
    logs: (lines, follow) => ["tail", "-n", String(lines), ...(follow ? ["-F"] : []), log],
    notes: [`Commands on its data: SOTTO_DATA_DIR="${dataDir}" sotto accounts list`],
  };
}

function agent(command: readonly string[], settings: string, dataDir: string, log: string): string {
  const description = {
    Label: label,
    ProgramArguments: ["/bin/sh", "-c", 'set -a; [ ! -r "$0" ] || . "$0"; exec "$@"', settings, ...command],
    EnvironmentVariables: { SOTTO_DATA_DIR: dataDir, NODE_ENV: "production" },
    WorkingDirectory: dataDir,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    // Longer than SOTTO_DRAIN_MS.
    ExitTimeOut: 140,
    // Octal 077, in decimal.
    Umask: 63,
    SoftResourceLimits: { Core: 0, NumberOfFiles: 65536 },
    HardResourceLimits: { Core: 0, NumberOfFiles: 65536 },
    StandardOutPath: log,
    StandardErrorPath: log,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element(description)}
</plist>
`;
}

type Value = string | number | boolean | readonly string[] | { [key: string]: Value };

function element(value: Value, indent = ""): string {
  const inner = `${indent}  `;
  if (typeof value === "string") return `${indent}<string>${text(value)}</string>`;
  if (typeof value === "number") return `${indent}<integer>${value}</integer>`;
  if (typeof value === "boolean") return `${indent}<${value}/>`;
  if (isList(value))
    return [`${indent}<array>`, ...value.map((one) => element(one, inner)), `${indent}</array>`].join("\n");
  const entries = Object.entries(value).flatMap(([key, one]) => [
    `${inner}<key>${text(key)}</key>`,
    element(one, inner),
  ]);
  return [`${indent}<dict>`, ...entries, `${indent}</dict>`].join("\n");
}

const isList = (value: Value): value is readonly string[] => Array.isArray(value);

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Of `launchctl print`, which is for people: only these two lines are read. */
function readStatus(output: string): ServiceStatus {
  const state = /^\s*state = (.+)$/m.exec(output)?.[1];
  const pid = /^\s*pid = (\d+)$/m.exec(output)?.[1];
  return {
    installed: state !== undefined,
    running: state === "running",
    enabled: null,
    pid: pid === undefined ? null : Number(pid),
    state: state ?? "not loaded",
  };
}
