import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eachField, loadConfig } from "../../config.js";
import { removePlanned, writePlanned } from "./files.js";
import { launchdPlan } from "./launchd.js";
import type { Installation, ServicePlan } from "./service-plan.js";
import { systemdPlan } from "./systemd.js";

const installation: Installation = {
  scope: "system",
  command: ["/usr/bin/node", "/opt/sotto/dist/main.js", "serve"],
  home: "/home/ada",
  uid: 1000,
  env: {},
};
const system = systemdPlan(installation);
const user = systemdPlan({ ...installation, scope: "user" });
const agent = launchdPlan({ ...installation, home: "/Users/ada", scope: "user", uid: 501 });
const textOf = ({ files: [first] }: ServicePlan): string => first?.text ?? "";

/** The values of a unit's key, in their order. */
const valuesOf = (text: string, key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

describe("a unit for systemd", () => {
  it.each([system, user])(
    "waits longer than replies may take, and ends the server before its engines",
    (plan) => {
      const text = textOf(plan);
      const { drainMs } = loadConfig({ env: {} }).limits;
      expect(Number(valuesOf(text, "TimeoutStopSec")[0]) * 1000).toBeGreaterThan(drainMs + 5000);
      expect(valuesOf(text, "KillMode")).toEqual(["mixed"]);
    },
  );

  it.each([system, user])("writes no memory to disk and gains no privileges", (plan) => {
    const text = textOf(plan);
    expect(valuesOf(text, "LimitCORE")).toEqual(["0"]);
    expect(valuesOf(text, "MemorySwapMax")).toEqual(["0"]);
    expect(valuesOf(text, "NoNewPrivileges")).toEqual(["true"]);
    expect(valuesOf(text, "MemoryDenyWriteExecute")).toEqual([]);
  });

  it("gives the machine's service its own user, folder and nothing else", () => {
    const text = textOf(system);
    expect(valuesOf(text, "User")).toEqual(["sotto"]);
    expect(valuesOf(text, "ProtectSystem")).toEqual(["strict"]);
    expect(valuesOf(text, "CapabilityBoundingSet")).toEqual([""]);
    expect(system.dataDir).toBe("/var/lib/sotto");
    expect(system.enable[0]).toEqual(["systemd-sysusers", "/etc/sysusers.d/sotto.conf"]);
  });

  it("keeps a user's service in the user's folders", () => {
    expect(user.files.map(({ path }) => path)).toEqual([
      "/home/ada/.config/systemd/user/sotto.service",
      "/home/ada/.config/sotto/sotto.env",
    ]);
    expect(user.dataDir).toBe("/home/ada/.local/share/sotto");
    const env = { XDG_CONFIG_HOME: "/home/ada/c", XDG_DATA_HOME: "/home/ada/d" };
    const moved = systemdPlan({ ...installation, scope: "user", env });
    expect(moved.files[0]?.path).toBe("/home/ada/c/systemd/user/sotto.service");
    expect(moved.dataDir).toBe("/home/ada/d/sotto");
  });

  it("quotes what systemd would expand or split", () => {
    const plan = systemdPlan({
      ...installation,
      scope: "user",
      command: ["/opt/my node/node", "/opt/100%/$HOME/main.js", "serve"],
    });
    expect(valuesOf(textOf(plan), "ExecStart")).toEqual([
      '"/opt/my node/node" /opt/100%%/$$HOME/main.js serve',
    ]);
  });

  it("reads its state", () => {
    const shown =
      "LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=42\n";
    const running = { installed: true, running: true, enabled: true, pid: 42, state: "active (running)" };
    expect(system.readStatus(shown)).toEqual(running);
    const absent = "LoadState=not-found\nActiveState=inactive\nSubState=dead\nUnitFileState=\nMainPID=0\n";
    expect(system.readStatus(absent)).toMatchObject({ installed: false, running: false, pid: null });
  });
});

describe("an agent for launchd", () => {
  it("is XML whose elements close, with text that is escaped", () => {
    const plan = launchdPlan({ ...installation, home: "/Users/a&b<c>", scope: "user" });
    const text = textOf(plan);
    const open: string[] = [];
    for (const [, slash, name = "", empty] of text.matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
      if (empty === "/") continue;
      if (slash === "/") expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
    expect(text).toContain("/Users/a&amp;b&lt;c&gt;/Library/Application Support/Sotto");
    expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
  });

  it("hands the command over as it is, after the settings", () => {
    const [, list = ""] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(textOf(agent)) ?? [];
    const words = [...list.matchAll(/<string>(.*?)<\/string>/g)].map(([, word]) => word);
    expect(words.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
    expect(words.slice(3)).toEqual([
      "/Users/ada/Library/Application Support/Sotto/sotto.env",
      ...installation.command,
    ]);
  });

  it("waits longer than replies may take", () => {
    const { drainMs } = loadConfig({ env: {} }).limits;
    const [, seconds] = /<key>ExitTimeOut<\/key>\s*<integer>(\d+)</.exec(textOf(agent)) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(drainMs + 5000);
  });

  it("reads its state", () => {
    const shown = "gui/501/chat.sotto.server = {\n\tstate = running\n\tpid = 77\n}\n";
    expect(agent.readStatus(shown)).toMatchObject({ installed: true, running: true, pid: 77 });
    expect(agent.readStatus("")).toMatchObject({ installed: false, running: false, pid: null });
  });
});

describe("settings", () => {
  it.each([system, user, agent])(
    "are named as the program knows them, and readable for nobody else",
    ({ files }) => {
      const settings = files.find(({ isSettings }) => isSettings);
      const known = new Set<string>(eachField().flatMap(({ spec }) => spec.env));
      const named = [...(settings?.text.matchAll(/^#?(SOTTO_\w+)=(.*)$/gm) ?? [])];
      expect(named.length).toBeGreaterThan(2);
      expect(named.filter(([, name = ""]) => !known.has(name))).toEqual([]);
      loadConfig({ env: Object.fromEntries(named.map(([, name = "", value]) => [name, value])) });
      expect(settings?.mode).toBe(0o600);
    },
  );
});

describe("files", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "sotto-service-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const settings = () => join(root, "/etc/sotto.env");
  const unit = () => join(root, "/etc/systemd/system/sotto.service");

  it("are written with their modes", () => {
    expect(writePlanned(system, root)).toHaveLength(3);
    expect(readFileSync(unit(), "utf8")).toBe(textOf(system));
    expect(statSync(settings()).mode & 0o777).toBe(0o600);
    expect(statSync(unit()).mode & 0o777).toBe(0o644);
  });

  it("are updated by a later version, but for the operator's settings", () => {
    writePlanned(system, root);
    writeFileSync(settings(), "SOTTO_PORT=9000\n");
    chmodSync(settings(), 0o640);
    writeFileSync(unit(), "old");
    expect(writePlanned(system, root)).not.toContain(settings());
    expect(readFileSync(settings(), "utf8")).toBe("SOTTO_PORT=9000\n");
    expect(statSync(settings()).mode & 0o777).toBe(0o640);
    expect(readFileSync(unit(), "utf8")).toBe(textOf(system));
  });

  it("are removed, settings and data only when asked for", () => {
    writePlanned({ ...system, folders: [system.dataDir] }, root);
    const database = join(root, system.dataDir, "sotto.db");
    writeFileSync(database, "rows");
    removePlanned(system, false, root);
    expect([unit(), settings(), database].map((path) => existsSync(path))).toEqual([false, true, true]);
    removePlanned(system, true, root);
    expect([settings(), database].map((path) => existsSync(path))).toEqual([false, false]);
  });
});
