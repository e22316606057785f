import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLine } from "./run.js";

/** A `systemctl` that notes how it was called. */
const systemctl = `#!/bin/sh
echo "$*" >> "$HOME/calls"
case "$*" in
  *"show sotto"*) if [ -e "$HOME/stopped" ]; then printf 'LoadState=loaded\\nActiveState=inactive\\nSubState=dead\\n'; exit; fi
     printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nMainPID=7\\n' ;;
  *show-environment*) [ ! -e "$HOME/unreachable" ] || { echo "Failed to connect to bus" >&2; exit 1; } ;;
  *restart*) [ ! -e "$HOME/broken" ] || { echo "Unit is masked" >&2; exit 1; } ;;
esac
`;

describe.skipIf(process.platform !== "linux")("sotto service", () => {
  let home = "";
  let sotto: CommandLine;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "sotto-service-"));
    await mkdir(join(home, "bin"));
    await writeFile(join(home, "bin/systemctl"), systemctl);
    await chmod(join(home, "bin/systemctl"), 0o755);
    sotto = new CommandLine(join(home, "unused"), { HOME: home, PATH: join(home, "bin") });
  });
  afterEach(() => rm(home, { recursive: true }));
  const unit = () => join(home, ".config/systemd/user/sotto.service");
  const calls = async () =>
    (await readFile(join(home, "calls"), "utf8"))
      .trim()
      .split("\n")
      .filter((line) => !line.endsWith("show-environment"));

  it("installs, enables and starts", async () => {
    const { code, stdout } = await sotto.run("service", "install", "--user");
    expect(code).toBe(0);
    expect(stdout).toContain(join(home, ".local/share/sotto"));
    expect(existsSync(unit())).toBe(true);
    expect(await calls()).toEqual(["--user daemon-reload", "--user enable sotto", "--user restart sotto"]);
  });

  it("does not start with --no-start", async () => {
    await sotto.run("service", "install", "--user", "--no-start");
    expect(await calls()).toEqual(["--user daemon-reload", "--user enable sotto"]);
  });

  it("shows everything and changes nothing with --print", async () => {
    const { code, stdout } = await sotto.run("service", "install", "--system", "--print");
    expect(code).toBe(0);
    expect(stdout).toContain("# --- /etc/systemd/system/sotto.service (mode 644)");
    expect(stdout).toContain("systemctl enable sotto");
    expect(existsSync(join(home, "calls"))).toBe(false);
    const shown = await sotto.json("service", "install", "--system", "--print");
    expect(shown).toMatchObject({ scope: "system", dataDir: "/var/lib/sotto" });
  });

  it("writes below another root without running anything", async () => {
    const { code } = await sotto.run("service", "install", "--system", "--root", join(home, "image"));
    expect(code).toBe(0);
    expect(existsSync(join(home, "image/etc/systemd/system/sotto.service"))).toBe(true);
    expect(existsSync(join(home, "calls"))).toBe(false);
  });

  it("says that there is no systemd before it writes anything", async () => {
    await rm(join(home, "bin/systemctl"));
    for (const words of [["install"], ["uninstall"], ["status"], ["logs"]]) {
      const { code, stderr } = await sotto.run("service", ...words, "--user");
      expect(code, words.join(" ")).toBe(1);
      expect(stderr).toContain("systemctl was not found");
    }
    expect(existsSync(unit())).toBe(false);
  });

  it("writes nothing where systemd does not run", async () => {
    await writeFile(join(home, "unreachable"), "");
    const { code, stderr } = await sotto.run("service", "install", "--user");
    expect(code).toBe(1);
    expect(stderr).toContain("Failed to connect to bus");
    expect(existsSync(unit())).toBe(false);
  });

  it("passes on what systemd says when it refuses", async () => {
    await writeFile(join(home, "broken"), "");
    const { code, stderr } = await sotto.run("service", "install", "--user");
    expect(code).toBe(1);
    expect(stderr).toContain("Unit is masked");
  });

  it("removes the service and keeps the data", async () => {
    await sotto.run("service", "install", "--user");
    const database = join(home, ".local/share/sotto/sotto.db");
    await writeFile(database, "rows");
    const { code, stdout } = await sotto.run("service", "uninstall", "--user");
    expect(code).toBe(0);
    expect(stdout).toContain("Its data is still in");
    expect(existsSync(unit())).toBe(false);
    expect(existsSync(database)).toBe(true);
    expect((await calls()).slice(-2)).toEqual(["--user disable --now sotto", "--user daemon-reload"]);
  });

  it("deletes the data only when told twice", async () => {
    await sotto.run("service", "install", "--user");
    const refused = await sotto.run("service", "uninstall", "--user", "--purge");
    expect(refused.code).toBe(2);
    expect(existsSync(unit())).toBe(true);
    const { code } = await sotto.run("service", "uninstall", "--user", "--purge", "--yes");
    expect(code).toBe(0);
    expect(existsSync(join(home, ".local/share/sotto"))).toBe(false);
    expect(existsSync(join(home, ".config/sotto/sotto.env"))).toBe(false);
  });

  it("says when nothing runs", async () => {
    await writeFile(join(home, "stopped"), "");
    const { code, stdout } = await sotto.run("service", "status", "--user");
    expect(code).toBe(1);
    expect(stdout).toContain("inactive (dead)");
  });

  it("says what runs", async () => {
    const status = await sotto.json("service", "status", "--user");
    expect(status).toEqual({
      installed: true,
      running: true,
      enabled: true,
      pid: 7,
      state: "active (running)",
    });
  });
});
