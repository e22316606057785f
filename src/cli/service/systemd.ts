/**
 * Sotto under systemd. As a service of the machine it has a user of its own and sees of the machine what it needs;
 * `systemd-analyze security sotto` lists what is left. A user's own service has fewer restrictions, since most of them need
 * privileges. deploy/sotto.service is the former for a program in /opt/sotto; a test compares the two.
 */
import { join } from "node:path";
import {
  settingsText,
  type Installation,
  type PlannedFile,
  type ServicePlan,
  type ServiceStatus,
  type Step,
} from "./service-plan.js";

export function systemdPlan(installation: Installation): ServicePlan {
  const { scope, home, env } = installation;
  const isSystem = scope === "system";
  const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const dataDir = isSystem
    ? "/var/lib/sotto"
    : join(env["XDG_DATA_HOME"] ?? join(home, ".local/share"), "sotto");
  const settings = isSystem ? "/etc/sotto.env" : join(config, "sotto/sotto.env");
  const systemctl = (...words: string[]): Step => ["systemctl", ...(isSystem ? [] : ["--user"]), ...words];
  const unit: PlannedFile = {
    path: isSystem ? "/etc/systemd/system/sotto.service" : join(config, "systemd/user/sotto.service"),
    text: isSystem
      ? systemUnit(installation.command, settings)
      : userUnit(installation.command, settings, dataDir),
    mode: 0o644,
  };
  return {
    scope,
    files: [
      unit,
      ...(isSystem ? [userRecord] : []),
      {
        path: settings,
        text: settingsText(systemctl("restart", "sotto").join(" ")),
        mode: 0o600,
        isSettings: true,
      },
    ],
    dataDir,
    folders: isSystem ? [] : [dataDir],
    probe: systemctl("show-environment"),
    enable: [
      ...(isSystem ? [["systemd-sysusers", userRecord.path]] : []),
      systemctl("daemon-reload"),
      systemctl("enable", "sotto"),
    ],
    start: [systemctl("restart", "sotto")],
    stop: [systemctl("disable", "--now", "sotto")],
    forget: [systemctl("daemon-reload")],
    purge: isSystem ? [["userdel", "sotto"]] : [],
    status: systemctl("show", "sotto", "--property=LoadState,ActiveState,SubState,UnitFileState,MainPID"),
    readStatus,
    logs: (lines, follow) => [
      "journalctl",
      ...(isSystem ? [] : ["--user"]),
      "--unit=sotto",
      `--lines=${lines}`,
      ...(follow ? ["--follow"] : ["--no-pager"]),
    ],
    notes: isSystem
      ? [`Commands on its data: sudo -u sotto env SOTTO_DATA_DIR=${dataDir} sotto accounts list`]
      : [
          `Commands on its data: SOTTO_DATA_DIR=${dataDir} sotto accounts list`,
          "It stops when you log out. To keep it running: loginctl enable-linger",
        ],
  };
}

const userRecord: PlannedFile = {
  path: "/etc/sysusers.d/sotto.conf",
  text: `u sotto - "Sotto" /var/lib/sotto\n`,
  mode: 0o644,
};

export const systemUnit = (
  command: readonly string[],
  settings: string,
): string => `# Sotto as a service of this machine. Written by 'sotto service install'; to change something use
# 'systemctl edit sotto', which an upgrade leaves alone.
[Unit]
Description=Sotto, a private chat completion service
After=network-online.target
Wants=network-online.target

[Service]
User=sotto
StateDirectory=sotto
StateDirectoryMode=0700
WorkingDirectory=/var/lib/sotto
EnvironmentFile=-${settings}
Environment=SOTTO_DATA_DIR=/var/lib/sotto NODE_ENV=production
${forAll(command)}
# It sees its own folder, no other's files, and of the devices only graphics cards.
ProtectSystem=strict
ProtectHome=true
PrivateTmp=true
DevicePolicy=closed
DeviceAllow=char-nvidia* rw
DeviceAllow=char-drm rw
DeviceAllow=/dev/kfd rw
ProtectProc=invisible
ProtectClock=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectControlGroups=true
RemoveIPC=true
# For a port below 1024 add CAP_NET_BIND_SERVICE here and in AmbientCapabilities.
CapabilityBoundingSet=
SystemCallFilter=~@privileged

[Install]
WantedBy=multi-user.target
`;

const userUnit = (
  command: readonly string[],
  settings: string,
  dataDir: string,
): string => `# Sotto as a service of this user. Written by 'sotto service install'; to change something use
# 'systemctl --user edit sotto', which an upgrade leaves alone.
[Unit]
Description=Sotto, a private chat completion service

[Service]
WorkingDirectory=${escaped(dataDir)}
EnvironmentFile=-${escaped(settings)}
Environment=${quoted(`SOTTO_DATA_DIR=${dataDir}`)} NODE_ENV=production
${forAll(command)}

[Install]
WantedBy=default.target
`;

/** What a machine's service and a user's have in common. */
const forAll = (
  command: readonly string[],
): string => `# glibc overwrites what is freed: buffers of requests and replies.
Environment=GLIBC_TUNABLES=glibc.malloc.perturb=255:glibc.malloc.tcache_count=0
ExecStart=${command.map(quoted).join(" ")}
Restart=on-failure
RestartSec=2
# Only the server is told to stop: its engines must live until running replies have finished.
KillMode=mixed
# Longer than SOTTO_DRAIN_MS.
TimeoutStopSec=140
# The server restarts an engine that was killed for its memory.
OOMPolicy=continue
LimitNOFILE=65536
# Memory is written to disk neither when it crashes nor when it is scarce.
LimitCORE=0
MemorySwapMax=0
UMask=0077
NoNewPrivileges=true
LockPersonality=true
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# No MemoryDenyWriteExecute: Node compiles JavaScript to machine code in memory.`;

/** systemd expands % everywhere. */
const escaped = (text: string): string => text.replaceAll("%", "%%");

/** A word of a command line: systemd also expands $ there, and splits at spaces. */
function quoted(word: string): string {
  const safe = escaped(word).replaceAll("$", "$$$$");
  return /^[\w./:=@%$+-]+$/.test(safe) ? safe : `"${safe.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function readStatus(output: string): ServiceStatus {
  const values = new Map(
    output.split("\n").map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const active = values.get("ActiveState") ?? "unknown";
  const pid = Number(values.get("MainPID") ?? 0);
  return {
    installed: values.get("LoadState") === "loaded",
    running: active === "active",
    enabled: values.get("UnitFileState") === "enabled",
    pid: pid > 0 ? pid : null,
    state: `${active} (${values.get("SubState") ?? "unknown"})`,
  };
}
