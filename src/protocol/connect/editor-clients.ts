/** Editors, and what is installed into them. */
import {
  baseUrl,
  keyText,
  keyVariable,
  modelOf,
  type ConfigFields,
  type ConnectClient,
  type ConnectModel,
  type ConnectTarget,
} from "./client.js";

export const editorClients: readonly ConnectClient[] = [
  {
    id: "vscode",
    name: "VS Code (Copilot Chat)",
    group: "Editors",
    api: "Chat Completions",
    checked: {
      version: "1.122 and later, 2026-10-14",
      how: "documentation",
      source: "https://code.visualstudio.com/docs/agent-customization/language-models",
    },
    configure: (target) => [
      {
        type: "file",
        place: {
          folder: {
            linux: ".config/Code/User",
            darwin: "Library/Application Support/Code/User",
            win32: "AppData/Roaming/Code/User",
          },
          file: "chatLanguageModels.json",
        },
        name: "chatLanguageModels.json",
        format: "json",
        settings: [
          {
            path: [{ key: "name", equals: "Sotto" }],
            value: {
              name: "Sotto",
              vendor: "customendpoint",
              apiKey: target.key ?? "${input:sottoApiKey}",
              apiType: "chat-completions",
              models: target.models.map((model) => vscodeModel(model, target)),
            },
          },
        ],
      },
      {
        type: "note",
        text: "The command “Chat: Manage Language Models” opens this file: Add Models, Custom Endpoint. It also stores the key safely instead of in the file. Restart VS Code if the models are not in the picker.",
      },
    ],
  },
  {
    id: "zed",
    name: "Zed",
    group: "Editors",
    api: "Chat Completions",
    checked: {
      version: "main branch, 03560fd",
      how: "documentation",
      source: "https://zed.dev/docs/ai/use-api-access#openai-compatible",
    },
    configure: (target) => [
      {
        type: "file",
        place: {
          folder: { linux: ".config/zed", darwin: ".config/zed", win32: "AppData/Roaming/Zed" },
          file: "settings.json",
        },
        name: "~/.config/zed/settings.json",
        format: "json",
        settings: [
          {
            path: ["language_models", "openai_compatible", "Sotto"],
            value: { api_url: baseUrl(target), available_models: target.models.map(zedModel) },
          },
        ],
      },
      {
        type: "note",
        text: `Zed keeps keys in the system's keychain, not in this file: enter it in Agent Settings under Sotto, or start Zed with ${keyVariable} set. Then choose the model in the agent panel.`,
      },
    ],
  },
  {
    id: "continue",
    name: "Continue",
    group: "Editors",
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
    id: "cline",
    name: "Cline",
    group: "Editors",
    api: "Chat Completions",
    checked: {
      version: "main branch, 02210e4",
      how: "documentation",
      source: "https://docs.cline.bot/provider-config/openai-compatible",
    },
    configure: (target) => [formOf("Settings (the gear icon)", "Model ID", target)],
  },
  {
    id: "roo",
    name: "Roo Code",
    group: "Editors",
    api: "Chat Completions",
    checked: {
      version: "no version named",
      how: "documentation",
      source: "https://docs.roocode.com/providers/openai-compatible",
    },
    configure: (target) => [formOf("Settings (the gear icon), Providers", "Model", target)],
  },
];

/** Cline and Roo have the same form. Neither has a file that is meant to be edited. */
function formOf(title: string, modelLabel: string, target: ConnectTarget): ConfigFields {
  const { contextTokens, outputTokens } = modelOf(target);
  return {
    type: "fields",
    title,
    rows: [
      { label: "API Provider", value: "OpenAI Compatible" },
      { label: "Base URL", value: baseUrl(target) },
      { label: "API Key", value: keyText(target) },
      { label: modelLabel, value: target.model },
      { label: "Context Window", value: String(contextTokens) },
      { label: "Max Output Tokens", value: String(outputTokens) },
      { label: "Image Support", value: "off" },
    ],
  };
}

const vscodeModel = ({ id, contextTokens, outputTokens }: ConnectModel, target: ConnectTarget) => ({
  id,
  name: `Sotto ${id}`,
  url: `${baseUrl(target)}/chat/completions`,
  toolCalling: true,
  vision: false,
  maxInputTokens: contextTokens - outputTokens,
  maxOutputTokens: outputTokens,
});

/** Its capabilities are left to the defaults, which are right: tools, and no images. */
const zedModel = ({ id, contextTokens, outputTokens }: ConnectModel) => ({
  name: id,
  display_name: `Sotto ${id}`,
  max_tokens: contextTokens,
  max_output_tokens: outputTokens,
});
