/** Applications that people chat or automate with, and gateways. They run on a server: which file is theirs differs. */
import {
  baseUrl,
  keyText,
  keyVariable,
  modelOf,
  type ConfigPart,
  type ConnectClient,
  type ConnectTarget,
} from "./client.js";

export const applicationClients: readonly ConnectClient[] = [
  {
    id: "open-webui",
    name: "Open WebUI",
    group: "Applications and gateways",
    api: "Chat Completions",
    checked: {
      version: "0.9.6",
      how: "documentation",
      source: "https://docs.openwebui.com/reference/env-configuration/",
    },
    configure: (target) => [
      {
        type: "file",
        place: null,
        name: "the file for docker run --env-file",
        format: "env",
        settings: [
          { path: ["OPENAI_API_BASE_URL"], value: baseUrl(target) },
          { path: ["OPENAI_API_KEY"], value: keyText(target) },
          { path: ["DEFAULT_MODELS"], value: target.model },
          // It writes titles, tags and search queries with a model, one more request each.
          { path: ["TASK_MODEL_EXTERNAL"], value: target.model },
        ],
      },
      {
        type: "note",
        text: "These are read at the first start only. In an installation that has run before, add it in Admin Panel, Settings, Connections, OpenAI API. From a container on this machine, localhost is http://host.docker.internal.",
      },
    ],
  },
  {
    id: "librechat",
    name: "LibreChat",
    group: "Applications and gateways",
    api: "Chat Completions",
    checked: {
      version: "0.8, configuration version 1.3.8",
      how: "documentation",
      source: "https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/custom_endpoint",
    },
    configure: (target) => [
      {
        type: "file",
        place: null,
        name: "librechat.yaml",
        format: "yaml",
        settings: [
          { path: ["version"], value: "1.3.8", onlyIfAbsent: true },
          {
            path: ["endpoints", "custom", { key: "name", equals: "Sotto" }],
            value: {
              name: "Sotto",
              // LibreChat fills it in from its own environment.
              apiKey: `\${${keyVariable}}`,
              baseURL: baseUrl(target),
              models: { default: target.models.map(({ id }) => id), fetch: false },
              titleConvo: true,
              titleModel: target.model,
              modelDisplayLabel: "Sotto",
              tokenConfig: Object.fromEntries(
                target.models.map(({ id, contextTokens }) => [
                  id,
                  { prompt: 0, completion: 0, context: contextTokens },
                ]),
              ),
            },
          },
        ],
      },
      dotEnv("LibreChat's .env", target),
    ],
  },
  {
    id: "n8n",
    name: "n8n",
    group: "Applications and gateways",
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
    id: "litellm",
    name: "LiteLLM",
    group: "Applications and gateways",
    api: "Chat Completions",
    checked: {
      version: "2026-10-13",
      how: "documentation",
      source: "https://docs.litellm.ai/docs/proxy/configs",
    },
    configure: (target) => [
      {
        type: "file",
        place: null,
        name: "LiteLLM's config.yaml",
        format: "yaml",
        settings: target.models.map(({ id, contextTokens, outputTokens }) => ({
          path: ["model_list", { key: "model_name", equals: `sotto-${id}` }],
          value: {
            model_name: `sotto-${id}`,
            litellm_params: {
              // The prefix chooses the kind of API; it is not sent.
              model: `openai/${id}`,
              api_base: baseUrl(target),
              api_key: `os.environ/${keyVariable}`,
            },
            model_info: {
              mode: "chat",
              max_input_tokens: contextTokens - outputTokens,
              max_output_tokens: outputTokens,
              supports_function_calling: true,
              input_cost_per_token: 0,
              output_cost_per_token: 0,
            },
          },
        })),
      },
      dotEnv("The environment of LiteLLM", target),
    ],
  },
];

const dotEnv = (title: string, { key }: ConnectTarget): ConfigPart => ({
  type: "code",
  title,
  language: "bash",
  text: `${keyVariable}=${key ?? "sk-sotto-…"}`,
});
