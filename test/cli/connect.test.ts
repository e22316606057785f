import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse as parseToml } from "smol-toml";
import { mintKey } from "../../src/core/keys/key-format.js";
import { connectClients } from "../../src/connect/clients.js";
import { startServer, type TestServer } from "../support/processes/server.js";
import { CommandLine } from "./run.js";

const nowhere = "http://127.0.0.1:9";
const key = mintKey();

let home: string;
let sotto: CommandLine;

beforeEach(async () => {
  const { dataDir } = await CommandLine.open();
  home = await mkdtemp(join(dataDir, "home-"));
  sotto = new CommandLine(dataDir, { HOME: home, USERPROFILE: home });
});
afterEach(() => sotto.dispose());

const read = (name: string) => readFile(join(home, name), "utf8");
async function put(name: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(home, name)), { recursive: true });
  await writeFile(join(home, name), text);
}
const write = (client: string, ...more: string[]) =>
  sotto.run("connect", client, "--write", "--url", nowhere, "--key", key, ...more);

describe("sotto connect", () => {
  it("lists every client by group, one line each", async () => {
    const { code, stdout } = await sotto.run("connect");
    expect(code).toBe(0);
    for (const { id, name, group } of connectClients) {
      expect(stdout).toContain(`\n  ${id} `);
      expect(stdout).toContain(name);
      expect(stdout).toContain(group);
    }
    expect(await sotto.json("connect")).toHaveLength(connectClients.length);
  });

  it("prints a configuration with a placeholder, and says how to create a key", async () => {
    const { code, stdout, stderr } = await sotto.run("connect", "claude-code", "--url", `${nowhere}/v1/`);
    expect(code).toBe(0);
    expect(stdout).toContain(`"ANTHROPIC_BASE_URL": "${nowhere}"`);
    expect(stdout).toContain('"ANTHROPIC_AUTH_TOKEN": "YOUR_SOTTO_API_KEY"');
    expect(stderr).toContain("sotto keys create");
    expect(stderr).toContain(`unknown, since ${nowhere} is unreachable: 8,192 tokens are written`);
  });

  it.each([
    ["claude", "claude-code"],
    ["codec", "codex"],
    ["Claude_Code", "claude-code"],
    ["python", "openai-python"],
  ])("suggests a client for %s", async (id, client) => {
    const { code, stderr } = await sotto.run("connect", id);
    expect(code).toBe(2);
    expect(stderr).toContain(`there is no client '${id}'. Did you mean ${client}? Known are: `);
  });

  it("suggests none for a name that is like no other", async () => {
    expect((await sotto.run("connect", "emacs")).stderr).not.toContain("Did you mean");
  });

  it("asks the service for the context also without a key", async () => {
    const service = createServer((request, response) => {
      const models = [
        { id: "omega", contextTokens: 65_536 },
        { id: "prism", contextTokens: null },
      ];
      response.statusCode = request.url === "/api/models" ? 200 : 404;
      response.end(JSON.stringify({ models }));
    }).listen(0, "127.0.0.1");
    await once(service, "listening");
    const address = service.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { stdout, stderr } = await sotto.run("connect", "codex", "--url", `http://127.0.0.1:${port}`);
    service.close();
    expect(stdout).toContain("model_context_window = 65536");
    expect(stderr).not.toContain("unknown");
  });

  it("takes the address from the configuration", async () => {
    expect((await sotto.run("connect", "openai-compatible")).stdout).toMatch(
      /Base URL +http:\/\/127\.0\.0\.1:8080\/v1\n/,
    );
    const elsewhere = new CommandLine(sotto.dataDir, { SOTTO_PUBLIC_URL: "https://chat.example.com" });
    expect((await elsewhere.run("connect", "openai-compatible")).stdout).toContain(
      "https://chat.example.com/v1\n",
    );
  });

  it("takes the key from the environment, or creates one", async () => {
    const env = { ...sotto.env, SOTTO_API_KEY: key };
    const known = new CommandLine(sotto.dataDir, env);
    expect((await known.run("connect", "openai-compatible", "--url", nowhere)).stdout).toContain(key);
    await sotto.json("accounts", "create", "ada@example.com");
    const created = await sotto.run(
      "connect",
      "openai-compatible",
      "--url",
      nowhere,
      "--new-key",
      "ada@example.com",
    );
    const text = /sk-sotto-[0-9A-Za-z]{49}/.exec(created.stdout)?.[0] ?? "";
    expect(await sotto.json("keys", "list", "ada@example.com")).toMatchObject([
      { name: "Any OpenAI-compatible client", last_four: text.slice(-4) },
    ]);
  });

  it("reads a key from standard input", async () => {
    const args = ["connect", "openai-compatible", "--url", nowhere, "--key", "-"];
    const { code, stdout } = await sotto.start(args, { input: `${key}\n` });
    expect({ code, hasKey: stdout.includes(key) }).toEqual({ code: 0, hasKey: true });
  });

  it.each([
    [["connect", "emacs"], "there is no client 'emacs'. Known are: curl, "],
    [["connect", "openai-compatible", "--url", "ftp://x"], "--url must be an address"],
    [["connect", "openai-compatible", "--url", "http://x/$(id)"], "--url must be an address"],
    [["connect", "openai-compatible", "--url", "http://a:b@x"], "--url must be an address"],
    [["connect", "openai-compatible", "--key", "sk-mine"], "this is not a key of Sotto"],
    [["connect", "openai-compatible", "--model", "gpt"], "omega, prism, lambda"],
    [["connect", "codex", "--dry-run", "--new-key", "a@b.c"], "not together with"],
  ])("refuses %j", async (args, why) => {
    const { code, stderr, stdout } = await sotto.run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
    expect(stderr).not.toContain("sk-mine");
  });
});

describe("limits", () => {
  let server: TestServer;
  let silent: Server;

  beforeEach(async () => {
    server = await startServer({ engine: { contextTokens: 40_000 } });
    silent = createServer((_, response) =>
      response.writeHead(302, { location: `${server.url}/v1/models` }).end(),
    );
    await once(silent.listen(0, "127.0.0.1"), "listening");
  });
  afterEach(async () => {
    silent.close();
    await server.close();
  });

  it("come from the service, with the plan's", async () => {
    server.addKey(key, { plan: { maxTokens: 1_000 } });
    const { stdout, stderr } = await sotto.run(
      "connect",
      "openai-compatible",
      "--url",
      server.url,
      "--key",
      key,
    );
    expect(stderr).toBe("");
    expect(stdout).toMatch(/Context Window +40000\n +Max Output Tokens +1000\n/);
  });

  it("say whether the client works with the model, and the configuration is printed all the same", async () => {
    const connect = (client: string) =>
      sotto.run("connect", client, "--url", server.url, "--key", server.addKey(key));
    const works = await connect("codex");
    expect([works.code, works.stderr]).toEqual([0, ""]);
    expect((await connect("claude-code")).stderr).toContain(
      "warning: Claude Code works best from 64k tokens of context; omega has 40,000 here",
    );
    server.engine.options.contextTokens = 2_048;
    const fails = await connect("claude-code");
    expect(fails.stderr).toBe(
      "warning: Claude Code needs at least 32k tokens of context; omega has 2,048 here: it will not work. " +
        "Ask the operator for a model with at least 32k tokens of context; on the server, sotto models lists what there is.\n",
    );
    expect([fails.code, fails.stdout]).toEqual([0, expect.stringContaining("ANTHROPIC_BASE_URL")]);
    const args = ["connect", "claude-code", "--url", server.url, "--key", key];
    expect(await sotto.json(...args)).toMatchObject({ fit: { level: "fails" } });
  });

  it("are assumed where the key is refused, and the key goes to no other address", async () => {
    const refused = await sotto.run("connect", "openai-compatible", "--url", server.url, "--key", mintKey());
    expect(refused.stderr).toContain("does not accept this key");
    const address = silent.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { stderr } = await sotto.run(
      "connect",
      "openai-compatible",
      "--url",
      `http://127.0.0.1:${port}`,
      "--key",
      key,
    );
    expect(stderr).toContain("is unreachable: 8,192 tokens");
    expect(server.logLines.filter((line) => line["path"] === "/v1/models")).toHaveLength(
      server.logLines.filter((line) => line["path"] === "/v1/models" && line["status"] === 401).length,
    );
  });
});

describe("--write and --restore", () => {
  const settings = `# mine
model = "gpt-5" # as ever

[tui]
notifications = true
`;

  it("merges, keeps a private backup, does nothing a second time, and restores the same bytes", async () => {
    await put(".codex/config.toml", settings);
    await chmod(join(home, ".codex/config.toml"), 0o640);
    const first = await write("codex");
    expect(first.code).toBe(0);
    expect(first.stdout).toContain(".before-sotto");
    const once = await read(".codex/config.toml");
    expect(once).toContain('# mine\nmodel = "omega" # as ever\n');
    expect(parseToml(once)).toMatchObject({ tui: { notifications: true }, model_provider: "sotto" });
    expect(await read(".codex/config.toml.before-sotto")).toBe(settings);
    expect((await stat(join(home, ".codex/config.toml.before-sotto"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, ".codex/config.toml"))).mode & 0o777).toBe(0o640);

    expect((await write("codex")).stdout).toContain("has these settings already");
    expect((await write("codex", "--model", "prism")).code).toBe(0);
    expect(await read(".codex/config.toml.before-sotto")).toBe(settings);

    const restored = await sotto.run("connect", "codex", "--restore");
    expect(restored.stdout).toContain("restored as it was");
    expect(await read(".codex/config.toml")).toBe(settings);
    expect((await stat(join(home, ".codex/config.toml"))).mode & 0o777).toBe(0o640);
    expect(await readdir(join(home, ".codex"))).toEqual(["config.toml"]);
    expect((await sotto.run("connect", "codex", "--restore")).stderr).toContain("nothing to restore");
  });

  it("creates a file for the user alone, and removes it again", async () => {
    expect((await write("claude-code")).stdout).toContain("There was no file before");
    expect((await stat(join(home, ".claude/settings.json"))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await read(".claude/settings.json"))).toMatchObject({
      env: { ANTHROPIC_AUTH_TOKEN: key },
    });
    expect((await sotto.run("connect", "claude-code", "--restore")).stdout).toContain("removed");
    expect(await readdir(join(home, ".claude"))).toEqual([]);
  });

  it("does not restore over what the user has changed since", async () => {
    await put(".claude/settings.json", "{}");
    await write("claude-code");
    const changed = (await read(".claude/settings.json")).replace("omega", "prism");
    await put(".claude/settings.json", changed);
    const { code, stderr } = await sotto.run("connect", "claude-code", "--restore");
    expect(code).toBe(1);
    expect(stderr).toContain("has been changed since, and stays as it is");
    expect(stderr).toContain("settings.json.before-sotto");
    expect(await read(".claude/settings.json")).toBe(changed);
    expect(await read(".claude/settings.json.before-sotto")).toBe("{}");
  });

  it("after a change by the user, a second write keeps that change for the next restore", async () => {
    await put(".claude/settings.json", "{}");
    await write("claude-code");
    const changed = (await read(".claude/settings.json")).replace("{", '{\n  "theme": "dark",');
    await put(".claude/settings.json", changed);
    await write("claude-code", "--model", "lambda");
    expect(JSON.parse(await read(".claude/settings.json"))).toMatchObject({
      theme: "dark",
      env: { ANTHROPIC_MODEL: "lambda" },
    });
    await sotto.run("connect", "claude-code", "--restore");
    expect(await read(".claude/settings.json")).toBe(changed);
  });

  it("follows a link to the file and leaves the link", async () => {
    await put("dotfiles/codex.toml", settings);
    await mkdir(join(home, ".codex"));
    await symlink(join(home, "dotfiles/codex.toml"), join(home, ".codex/config.toml"));
    await write("codex");
    expect(await readdir(join(home, ".codex"))).toEqual(["config.toml"]);
    expect(await read("dotfiles/codex.toml")).toContain('model_provider = "sotto"');
    await sotto.run("connect", "codex", "--restore");
    expect(await read("dotfiles/codex.toml")).toBe(settings);
  });

  it("finds a client's folder by the client's own variable", async () => {
    const elsewhere = new CommandLine(sotto.dataDir, { ...sotto.env, CODEX_HOME: join(home, "elsewhere") });
    await elsewhere.run("connect", "codex", "--write", "--url", nowhere);
    expect(await readdir(join(home, "elsewhere"))).toContain("config.toml");
  });

  it.each([
    ["what is not text", Uint8Array.of(0x7b, 0xff, 0xfe), "is not text in UTF-8"],
    ["what it cannot parse", '{ "apiKey": sk-ant-secret }', "line 1 is not valid JSON"],
    ["what is too large", " ".repeat(2 * 1024 * 1024), "too large"],
  ])("refuses %s and leaves it alone", async (_, bytes, why) => {
    await put(".claude/settings.json", bytes);
    const { code, stderr } = await write("claude-code");
    expect(code).toBe(1);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain("sk-ant-secret");
    expect((await readFile(join(home, ".claude/settings.json"))).equals(Buffer.from(bytes))).toBe(true);
    expect(await readdir(join(home, ".claude"))).toEqual(["settings.json"]);
  });

  it("refuses to write a placeholder, or for a client without a file, and takes a file from elsewhere", async () => {
    const placeholder = await sotto.run("connect", "claude-code", "--write", "--url", nowhere);
    expect(placeholder.stderr).toContain("--new-key <email>");
    expect((await write("openai-compatible")).stderr).toContain("has no file to write");
    const file = join(home, "elsewhere.yaml");
    await put("elsewhere.yaml", "version: 1.2.1 # mine\n");
    expect((await write("continue", "--file", file)).code).toBe(0);
    expect(await read("elsewhere.yaml")).toContain("version: 1.2.1 # mine\n");
    await sotto.run("connect", "continue", "--restore", "--file", file);
    expect(await read("elsewhere.yaml")).toBe("version: 1.2.1 # mine\n");
  });

  it("shows the changes it would make, with keys masked, and changes nothing", async () => {
    const before = `{\n  "env": {\n    "ANTHROPIC_AUTH_TOKEN": "sk-old-0123456789abcdefghij",\n    "X": "private"\n  }\n}\n`;
    await put(".claude/settings.json", before);
    const { code, stdout } = await write("claude-code", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toContain("@@ line 3 @@");
    expect(stdout).toContain('-     "ANTHROPIC_AUTH_TOKEN": "sk-old-0123…"');
    expect(stdout).toContain(`+     "ANTHROPIC_AUTH_TOKEN": "sk-sotto-…${key.slice(-4)}"`);
    expect(stdout).not.toContain(key);
    expect(await read(".claude/settings.json")).toBe(before);
    expect(await readdir(join(home, ".claude"))).toEqual(["settings.json"]);
  });

  it("never prints the key when it writes", async () => {
    const { stdout, stderr } = await write("continue");
    expect(stdout + stderr).not.toContain(key);
    expect(await read(".continue/config.yaml")).toContain(key);
  });

  it.each(connectClients.map(({ id }) => id))("%s: restores the file it has written", async (client) => {
    const file = join(home, "a", "file");
    const { code, stderr } = await write(client, "--file", file);
    const hasFile = !stderr.includes("has no file to write");
    expect(code).toBe(hasFile ? 0 : 1);
    if (!hasFile) return;
    expect((await sotto.run("connect", client, "--restore", "--file", file)).code).toBe(0);
    expect(await readdir(join(home, "a"))).toEqual([]);
  });
});
