import { readdirSync, readFileSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import {
  assumedLimits,
  connectModel,
  keyPlaceholder,
  modelOf,
  type ConfigFile,
  type ConnectTarget,
} from "../../src/connect/client.js";
import { clientGroups, connectClients, findClient } from "../../src/connect/clients.js";
import { fileText, valueAt, wholeOf } from "../../src/connect/file-text.js";
import { configurationText } from "../../src/cli/connect/print.js";

const target: ConnectTarget = {
  origin: "https://chat.example.com",
  key: "sk-sotto-EXAMPLE",
  model: "omega",
  models: [
    connectModel("omega", 32_768, 4_096),
    connectModel("prism", 16_384, null),
    connectModel("lambda", null, null),
  ],
  stream: false,
};
const withoutKey: ConnectTarget = { ...target, key: null };

const filesOf = (id: string, of = target): ConfigFile[] =>
  (findClient(id)?.configure(of) ?? []).flatMap((part) => (part.type === "file" ? [part] : []));
function parsed({ format, settings }: ConfigFile): unknown {
  const text = fileText(format, settings);
  switch (format) {
    case "json":
      return JSON.parse(text);
    case "yaml":
      return parseYaml(text);
    case "toml":
      return parseToml(text);
  }
}

describe("every client", () => {
  it.each(connectClients.map((client) => [client.id, client] as const))(
    "%s: as in its golden file",
    async (id, client) => {
      const variants = [
        target,
        withoutKey,
        ...(client.streams === true ? [{ ...target, stream: true }] : []),
      ];
      const text = variants
        .map((one) => configurationText(client, client.configure(one)))
        .join("\n\n--------\n\n");
      await expect(`${text}\n`).toMatchFileSnapshot(`../fixtures/connect/${id}.txt`);
    },
  );

  it("has a golden file, and there is no other", () => {
    const files = readdirSync("test/fixtures/connect").sort();
    expect(files).toEqual(connectClients.map(({ id }) => `${id}.txt`).sort());
  });

  it.each(connectClients.map((client) => [client.id, client] as const))(
    "%s: has address, model and key filled in, and a file that its parser reads as meant",
    (_, client) => {
      const text = configurationText(client, client.configure(target));
      expect(text).toContain("https://chat.example.com");
      expect(text).toContain("omega");
      expect(text).toContain("sk-sotto-EXAMPLE");
      expect(text).not.toContain(keyPlaceholder);
      expect(configurationText(client, client.configure(withoutKey))).not.toContain("sk-sotto-EXAMPLE");
      for (const part of client.configure(target)) {
        if (part.type === "file") expect(parsed(part)).toEqual(wholeOf(part.settings));
      }
    },
  );

  it("has a group, a unique name and a note on how it was checked", () => {
    expect(new Set(connectClients.map(({ id }) => id)).size).toBe(connectClients.length);
    for (const { id, group, checked } of connectClients) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      expect(clientGroups).toContain(group);
      expect(checked.version).not.toBe("");
      expect(new URL(checked.source).protocol).toBe("https:");
    }
  });

  it("is in docs/clients.md with its version and what it needs", () => {
    const page = readFileSync("docs/clients.md", "utf8");
    const rowsOf = (id: string) =>
      page
        .split("\n")
        .filter((line) => line.startsWith(`| \`${id}\` `))
        .map((line) => line.split("|").map((cell) => cell.trim()));
    for (const { id, name, api, checked, needs } of connectClients) {
      const rows = rowsOf(id);
      if (needs !== undefined) {
        const { firstRequestTokens, leastContextTokens: least } = needs;
        const first = `${firstRequestTokens.toLocaleString("en")} tokens`;
        const needed = ["", `\`${id}\``, first, `${least / 1024}k`, `${least / 512}k`, ""];
        expect(rows.shift()).toEqual(needed);
      }
      expect(rows[0]).toEqual([
        "",
        `\`${id}\``,
        `[${name}](${checked.source})`,
        api,
        checked.version,
        { run: "run", source: "source", documentation: "documentation" }[checked.how],
        "",
      ]);
    }
  });
});

describe("the values that a client acts on", () => {
  it("Codex speaks Responses, under /v1, with the key from a variable and the true context", () => {
    const [file] = filesOf("codex").map(parsed);
    expect(file).toEqual({
      model: "omega",
      model_provider: "sotto",
      model_context_window: 32_768,
      model_providers: {
        sotto: {
          name: "Sotto",
          base_url: "https://chat.example.com/v1",
          env_key: "SOTTO_API_KEY",
          wire_api: "responses",
        },
      },
    });
  });

  it("Claude Code gets the address without /v1, the key as a token, and both limits", () => {
    const [file] = filesOf("claude-code").map(parsed);
    expect(file).toMatchObject({
      env: {
        ANTHROPIC_BASE_URL: "https://chat.example.com",
        ANTHROPIC_AUTH_TOKEN: "sk-sotto-EXAMPLE",
        ANTHROPIC_MODEL: "omega",
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: "32768",
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4096",
      },
    });
  });

  it("clients that take the output off the context keep room for a prompt, with a limit in the plan and without", () => {
    const [opencode] = filesOf("opencode").map(parsed);
    expect(valueAt(opencode, ["provider", "sotto", "models"])).toMatchObject({
      omega: { limit: { context: 32_768, output: 4_096 } },
      prism: { limit: { context: 16_384, output: 8_192 } },
      lambda: { limit: { context: assumedLimits.contextTokens, output: assumedLimits.outputTokens } },
    });
    const [continueFile] = filesOf("continue").map(parsed);
    expect(valueAt(continueFile, ["models"])).toMatchObject([
      { model: "omega", defaultCompletionOptions: { contextLength: 32_768, maxTokens: 4_096 } },
      { model: "prism", defaultCompletionOptions: { contextLength: 16_384, maxTokens: 8_192 } },
      { model: "lambda" },
    ]);
  });

  it("the other model that was chosen is the one in use, with its own limits", () => {
    const prism: ConnectTarget = { ...target, model: "prism" };
    expect(modelOf(prism)).toEqual({
      id: "prism",
      contextTokens: 16_384,
      outputTokens: 8_192,
      isAssumed: false,
    });
    const [codex] = filesOf("codex", prism).map(parsed);
    expect(codex).toMatchObject({ model: "prism", model_context_window: 16_384 });
    const other = findClient("openai-compatible") ?? never();
    expect(configurationText(other, other.configure(prism))).toMatch(/Context Window +16384/);
  });

  it("writes values into YAML that no reader takes for something else", () => {
    const odd = [
      "1.0.0",
      "1e3",
      "yes",
      "null",
      "a: b",
      "# x",
      "",
      "${X}",
      "é",
      "2020-01-01",
      "- a",
      "a #b",
      "'",
      '"',
    ];
    const text = fileText("yaml", [
      { path: ["list"], value: odd },
      { path: ["a: b"], value: { "1": odd } },
    ]);
    expect(parseYaml(text)).toEqual({ list: odd, "a: b": { "1": odd } });
    expect(parseToml(fileText("toml", [{ path: ["a b", "list"], value: odd }]))).toEqual({
      "a b": { list: odd },
    });
  });
});

function never(): never {
  throw new Error("There is no such client.");
}
