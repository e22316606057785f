import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { paint, programName, provideTerminal, showsColours, type Started, typed } from "./terminal.js";

const started = (more: Partial<Started>): Started => ({
  script: "/home/ada/sotto/bin/sotto.js",
  nodePath: "/usr/bin/node",
  folder: "/home/ada/sotto",
  env: { PATH: "/usr/local/bin:/usr/bin" },
  ...more,
});
const silent = { stdout: false, stderr: false };

afterEach(() => provideTerminal(started({ script: "/usr/bin/sotto" }), silent));

describe("the name of the program", () => {
  it.each([
    ["node bin/sotto.js", {}],
    ["node ../bin/sotto.js", { folder: "/home/ada/sotto/data" }],
    ["node /home/ada/sotto/bin/sotto.js", { folder: "/var/lib" }],
    ["npx sotto", { env: { PATH: "/usr/bin", npm_command: "exec", npm_lifecycle_event: "npx" } }],
    [
      "npm run sotto --",
      { env: { PATH: "/usr/bin", npm_command: "run-script", npm_lifecycle_event: "sotto" } },
    ],
    ["node bin/sotto.js", { env: { PATH: "/usr/bin", npm_command: "start", npm_lifecycle_event: "start" } }],
    ["sotto", { script: "/usr/local/bin/sotto" }],
    ["/opt/sotto/bin/sotto", { script: "/opt/sotto/bin/sotto" }],
    [
      "/nodejs/bin/node dist/main.js",
      { script: "/app/dist/main.js", folder: "/app", nodePath: "/nodejs/bin/node" },
    ],
    ['node "my sotto/bin/sotto.js"', { script: "/home/ada/my sotto/bin/sotto.js", folder: "/home/ada" }],
  ])("is %s", (name, more) => {
    expect(programName(started(more))).toBe(name);
  });
});

it("is what npx was asked for, where npx has installed it", () => {
  const cache = mkdtempSync(join(tmpdir(), "sotto-npx-"));
  try {
    const place = join(cache, "_npx", "0123");
    mkdirSync(place, { recursive: true });
    const script = join(place, "node_modules", ".bin", "sotto");
    const nameFor = (asked: string) => {
      writeFileSync(join(place, "package.json"), JSON.stringify({ _npx: { packages: [asked] } }));
      return programName(started({ script, env: { npm_command: "exec" } }));
    };
    expect(nameFor("@sotto-chat/sotto")).toBe("npx @sotto-chat/sotto");
    expect(nameFor("/tmp/sotto.tgz")).toBe("npx --package=/tmp/sotto.tgz sotto");
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
});

describe("commands in messages", () => {
  it("are what works here, and nothing else is changed", () => {
    provideTerminal(started({}), silent);
    expect(typed("Create one: sotto keys create ada@example.com")).toBe(
      "Create one: node bin/sotto.js keys create ada@example.com",
    );
    expect(typed("Run 'sotto doctor', or\nsotto serve\nUsage: sotto [options] [command]")).toBe(
      "Run 'node bin/sotto.js doctor', or\nnode bin/sotto.js serve\nUsage: node bin/sotto.js [options] [command]",
    );
    const other =
      "postgres://sotto:pw@db/sotto --data-dir /var/lib/sotto, npx sotto serve; Sotto keys are kept by sotto";
    expect(typed(other)).toBe(other);
  });

  it("stay as they are written where the program is installed", () => {
    provideTerminal(started({ script: "/usr/local/bin/sotto" }), silent);
    expect(typed("See: sotto models list")).toBe("See: sotto models list");
  });
});

describe("colours", () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    [true, { TERM: "dumb" }, false],
  ])("on a terminal: %s, with %j: %s", (isTerminal, env, shown) => {
    expect(showsColours(env, isTerminal)).toBe(shown);
  });

  it("are decided for each stream", () => {
    provideTerminal(started({}), { stdout: true, stderr: false });
    expect(paint("red", "x")).toBe("\u001b[31mx\u001b[39m");
    expect(paint("red", "x", "stderr")).toBe("x");
  });
});
