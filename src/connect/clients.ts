/** Every client that Sotto knows how to configure, in the order in which they are listed. */
import {
  baseUrl,
  keyText,
  keyVariable,
  modelOf,
  type ClientGroup,
  type ConfigPart,
  type ConnectClient,
  type ConnectModel,
  type ConnectTarget,
  type Value,
} from "./client.js";
import { codeClients } from "./code-clients.js";

export const clientGroups: readonly ClientGroup[] = [
  "Libraries",
  "Coding agents",
  "Editors and applications",
];

export const connectClients: readonly ConnectClient[] = [
  ...codeClients,
  {
    id: "codex",
    name: "Codex CLI",
    group: "Coding agents",
    api: "Responses",
    checked: {
      version: "0.166.0",
      how: "run",
      source: "https://developers.openai.com/codex/config-reference",
    },
    needs: { firstRequestTokens: 8_000, leastContextTokens: 16_384, tools: true },
    family: "codex",
    configure: (target) => [
      {
        type: "file",
        place: { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" },
        name: "~/.codex/config.toml",
        format: "toml",
        settings: [
          { path: ["model"], value: target.model },
          { path: ["model_provider"], value: "sotto" },
          { path: ["model_context_window"], value: modelOf(target).contextTokens },
          { path: ["model_providers", "sotto", "name"], value: "Sotto" },
          { path: ["model_providers", "sotto", "base_url"], value: baseUrl(target) },
          // The name of a variable: Codex keeps no keys in this file.
          { path: ["model_providers", "sotto", "env_key"], value: keyVariable },
          { path: ["model_providers", "sotto", "wire_api"], value: "responses" },
        ],
      },
      inShell(target, "Key, in the shell that starts Codex"),
      {
        type: "note",
        text: "Codex warns that it has no metadata for the model, and works without it. If you edit the file yourself, put the first three settings above every [table].",
      },
    ],
  },
  {
    id: "claude-code",
    name: "Claude Code",
    group: "Coding agents",
    api: "Messages",
    checked: { version: "2.1.197", how: "run", source: "https://code.claude.com/docs/en/llm-gateway" },
    needs: { firstRequestTokens: 17_600, leastContextTokens: 32_768, tools: true },
    family: "claude-code",
    configure: (target) => {
      const { contextTokens, outputTokens } = modelOf(target);
      const variables: Record<string, string> = {
        // Without /v1, which Claude Code appends itself.
        ANTHROPIC_BASE_URL: target.origin,
        ANTHROPIC_AUTH_TOKEN: keyText(target),
        ANTHROPIC_MODEL: target.model,
        ANTHROPIC_DEFAULT_OPUS_MODEL: target.model,
        ANTHROPIC_DEFAULT_SONNET_MODEL: target.model,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: target.model,
        // It assumes 200,000 for a name that it does not know.
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextTokens),
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(outputTokens),
        // Changes with each request, at the very start of the prompt: nothing of it could be reused.
        CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      };
      return [
        {
          type: "file",
          place: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
          name: "~/.claude/settings.json",
          format: "json",
          settings: Object.entries(variables).map(([name, value]) => ({ path: ["env", name], value })),
        },
        {
          type: "note",
          text: "Unset ANTHROPIC_API_KEY in your shell: Claude Code would send it too.",
        },
      ];
    },
  },
  {
    id: "opencode",
    name: "opencode",
    group: "Coding agents",
    api: "Chat Completions",
    checked: {
      version: "1.18.33",
      how: "run",
      source: "https://opencode.ai/docs/providers/#custom-provider",
    },
    needs: { firstRequestTokens: 6_800, leastContextTokens: 16_384, tools: true },
    family: "opencode",
    configure: (target) => [
      {
        type: "file",
        place: { variable: "XDG_CONFIG_HOME", folder: ".config", file: "opencode/opencode.json" },
        name: "~/.config/opencode/opencode.json",
        format: "json",
        settings: [
          { path: ["$schema"], value: "https://opencode.ai/config.json", onlyIfAbsent: true },
          { path: ["model"], value: `sotto/${target.model}` },
          {
            path: ["provider", "sotto"],
            value: {
              npm: "@ai-sdk/openai-compatible",
              name: "Sotto",
              options: { baseURL: baseUrl(target), apiKey: target.key ?? `{env:${keyVariable}}` },
              models: Object.fromEntries(target.models.map((model) => [model.id, opencodeModel(model)])),
            },
          },
        ],
      },
      ...(target.key === null ? [inShell(target, "Key, in the shell that starts opencode")] : []),
    ],
  },
  {
    id: "continue",
    name: "Continue",
    group: "Editors and applications",
    api: "Chat Completions",
    checked: {
      version: "@continuedev/config-yaml 1.42.0",
      how: "source",
      source: "https://docs.continue.dev/reference",
    },
    configure: (target) => [
      {
        type: "file",
        place: { folder: ".continue", file: "config.yaml" },
        name: "~/.continue/config.yaml",
        format: "yaml",
        settings: [
          { path: ["name"], value: "Main", onlyIfAbsent: true },
          { path: ["version"], value: "1.0.0", onlyIfAbsent: true },
          { path: ["schema"], value: "v1", onlyIfAbsent: true },
          ...target.models.map(({ id, contextTokens, outputTokens }) => ({
            path: ["models", { key: "name", equals: `Sotto ${id}` }],
            value: {
              name: `Sotto ${id}`,
              provider: "openai",
              model: id,
              apiBase: baseUrl(target),
              apiKey: keyText(target),
              roles: ["chat", "edit", "apply"],
              capabilities: ["tool_use"],
              defaultCompletionOptions: { contextLength: contextTokens, maxTokens: outputTokens },
            },
          })),
        ],
      },
    ],
  },
  {
    id: "n8n",
    name: "n8n",
    group: "Editors and applications",
    api: "Responses",
    checked: {
      version: "n8n-nodes-base 2.41.2, @n8n/n8n-nodes-langchain 2.41.1",
      how: "source",
      source: "https://docs.n8n.io/integrations/builtin/credentials/openai/",
    },
    configure: (target) => [
      {
        type: "fields",
        title: "Credentials, OpenAI",
        rows: [
          { label: "API Key", value: keyText(target) },
          { label: "Base URL", value: baseUrl(target) },
        ],
      },
      {
        type: "fields",
        title: "Node “OpenAI Chat Model”",
        rows: [
          { label: "Model", value: `By ID: ${target.model}` },
          { label: "Use Responses API", value: "on, the default, or off: both work" },
        ],
      },
      {
        type: "note",
        text: `Replies have at most ${modelOf(target).outputTokens} tokens here. The built-in tools (web search, file search, code interpreter) run at OpenAI: leave them off.`,
      },
    ],
  },
  {
    id: "openai-compatible",
    name: "Any OpenAI-compatible client",
    group: "Editors and applications",
    api: "Chat Completions",
    checked: { version: "openai 6.49.0", how: "run", source: "https://www.npmjs.com/package/openai" },
    configure: (target) => {
      const { contextTokens, outputTokens } = modelOf(target);
      return [
        {
          type: "fields",
          title: "Settings of the client",
          rows: [
            { label: "Base URL", value: baseUrl(target) },
            { label: "API Key", value: keyText(target) },
            { label: "Model", value: target.model },
            { label: "Context Window", value: String(contextTokens) },
            { label: "Max Output Tokens", value: String(outputTokens) },
          ],
        },
        {
          type: "note",
          text: "Choose the provider “OpenAI compatible” in the client; some call it “custom”. Leave image input off. In a container, localhost is the container itself: use the address of this machine.",
        },
      ];
    },
  },
];

export const findClient = (id: string): ConnectClient | undefined =>
  connectClients.find((client) => client.id === id);

const inShell = ({ key }: ConnectTarget, title: string): ConfigPart => ({
  type: "code",
  title,
  language: "bash",
  text: `export ${keyVariable}="${key ?? "sk-sotto-…"}"`,
});

const opencodeModel = ({ id, contextTokens, outputTokens }: ConnectModel): Value => ({
  name: id,
  tool_call: true,
  limit: { context: contextTokens, output: outputTokens },
});
