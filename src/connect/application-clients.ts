/** Editors and applications, and what any other client has to be given. */
import { baseUrl, keyText, modelOf, type ConnectClient } from "./client.js";

export const applicationClients: readonly ConnectClient[] = [
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
