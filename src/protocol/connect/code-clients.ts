/** Libraries: the first request, in code. The key comes from the environment unless there is one to fill in. */
import {
  baseUrl,
  keyVariable,
  modelOf,
  type ConfigPart,
  type ConnectClient,
  type ConnectTarget,
} from "./client.js";

export const question = "Say hello, quietly.";

export const codeClients: readonly ConnectClient[] = [
  {
    id: "curl",
    name: "curl",
    group: "Libraries",
    api: "Chat Completions",
    checked: { version: "7.88.1", how: "run", source: "https://curl.se/docs/manpage.html" },
    streams: true,
    configure: (target) => [
      ...exportKey(target),
      {
        type: "code",
        title: "Request",
        language: "bash",
        text: `curl ${target.stream ? "--no-buffer " : ""}${baseUrl(target)}/chat/completions \\
  -H "Authorization: Bearer ${target.key ?? `$${keyVariable}`}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${target.model}",${target.stream ? '\n    "stream": true,' : ""}
    "messages": [{"role": "user", "content": "${question}"}]
  }'`,
      },
    ],
  },
  {
    id: "openai-node",
    name: "OpenAI library for Node",
    group: "Libraries",
    api: "Chat Completions",
    checked: { version: "openai 6.49.0", how: "run", source: "https://www.npmjs.com/package/openai" },
    streams: true,
    configure: (target) => [
      install("npm install openai"),
      ...exportKey(target),
      {
        type: "code",
        title: "JavaScript",
        language: "javascript",
        text: `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl(target)}",
  apiKey: ${inJavaScript(target)},
});

${target.stream ? nodeStream(target) : nodeReply(target)}`,
      },
    ],
  },
  {
    id: "openai-python",
    name: "OpenAI library for Python",
    group: "Libraries",
    api: "Chat Completions",
    checked: { version: "openai 3.22.1", how: "documentation", source: "https://pypi.org/project/openai/" },
    streams: true,
    configure: (target) => [
      install("pip install openai"),
      ...exportKey(target),
      {
        type: "code",
        title: "Python",
        language: "python",
        text: `${importOs(target)}from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl(target)}",
    api_key=${inPython(target)},
)

${target.stream ? pythonStream(target) : pythonReply(target)}`,
      },
    ],
  },
  {
    id: "ai-sdk",
    name: "AI SDK",
    group: "Libraries",
    api: "Chat Completions",
    checked: {
      version: "ai 6.0.326, @ai-sdk/openai-compatible 2.0.87",
      how: "run",
      source: "https://ai-sdk.dev/providers/openai-compatible-providers",
    },
    configure: (target) => [
      install("npm install ai @ai-sdk/openai-compatible"),
      ...exportKey(target),
      {
        type: "code",
        title: "JavaScript",
        language: "javascript",
        text: `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const sotto = createOpenAICompatible({
  name: "sotto",
  baseURL: "${baseUrl(target)}",
  apiKey: ${inJavaScript(target)},
  includeUsage: true,
  supportsStructuredOutputs: true,
});

const { text } = await generateText({
  model: sotto("${target.model}"),
  prompt: "${question}",
});
console.log(text);`,
      },
      {
        type: "note",
        text: "The default openai() provider works too: createOpenAI({ baseURL, apiKey }) calls /v1/responses.",
      },
    ],
  },
  {
    id: "langchain-python",
    name: "LangChain for Python",
    group: "Libraries",
    api: "Chat Completions",
    checked: {
      version: "langchain-openai 1.6.6",
      how: "source",
      source: "https://pypi.org/project/langchain-openai/",
    },
    configure: (target) => [
      install("pip install langchain-openai"),
      ...exportKey(target),
      {
        type: "code",
        title: "Python",
        language: "python",
        text: `${importOs(target)}from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="${target.model}",
    base_url="${baseUrl(target)}",
    api_key=${inPython(target)},
)
print(model.invoke("${question}").content)`,
      },
    ],
  },
  {
    id: "langchain-js",
    name: "LangChain for JavaScript",
    group: "Libraries",
    api: "Chat Completions",
    checked: {
      version: "@langchain/openai 1.5.8",
      how: "run",
      source: "https://www.npmjs.com/package/@langchain/openai",
    },
    configure: (target) => [
      install("npm install @langchain/openai @langchain/core"),
      ...exportKey(target),
      {
        type: "code",
        title: "JavaScript",
        language: "javascript",
        text: `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: "${target.model}",
  apiKey: ${inJavaScript(target)},
  configuration: { baseURL: "${baseUrl(target)}" },
});
const reply = await model.invoke("${question}");
console.log(reply.content);`,
      },
    ],
  },
  {
    id: "llamaindex",
    name: "LlamaIndex",
    group: "Libraries",
    api: "Chat Completions",
    checked: {
      version: "llama-index-llms-openai-like 0.8.0",
      how: "documentation",
      source: "https://developers.llamaindex.ai/python/framework-api-reference/llms/openai_like",
    },
    configure: (target) => [
      install("pip install llama-index-llms-openai-like"),
      ...exportKey(target),
      {
        type: "code",
        title: "Python",
        language: "python",
        // Its own class for OpenAI refuses model names that it does not know, and needs the context of each.
        text: `${importOs(target)}from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(
    model="${target.model}",
    api_base="${baseUrl(target)}",
    api_key=${inPython(target)},
    context_window=${modelOf(target).contextTokens},
    is_chat_model=True,
    is_function_calling_model=True,
)
print(llm.complete("${question}"))`,
      },
    ],
  },
];

const install = (text: string): ConfigPart => ({ type: "code", title: "Install", language: "bash", text });

/** Nothing where the code has the key in it. */
export function exportKey({ key }: ConnectTarget): ConfigPart[] {
  if (key !== null) return [];
  return [{ type: "code", title: "Key", language: "bash", text: `export ${keyVariable}="sk-sotto-…"` }];
}

const importOs = ({ key }: ConnectTarget): string => (key === null ? "import os\n" : "");
const inPython = ({ key }: ConnectTarget): string =>
  key === null ? `os.environ["${keyVariable}"]` : JSON.stringify(key);
const inJavaScript = ({ key }: ConnectTarget): string =>
  key === null ? `process.env.${keyVariable}` : JSON.stringify(key);

const nodeReply = ({ model }: ConnectTarget): string => `const reply = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${question}" }],
});
console.log(reply.choices[0].message.content);`;

const nodeStream = ({
  model,
}: ConnectTarget): string => `const stream = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${question}" }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");
}`;

const pythonReply = ({ model }: ConnectTarget): string => `reply = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(reply.choices[0].message.content)`;

const pythonStream = ({ model }: ConnectTarget): string => `stream = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
