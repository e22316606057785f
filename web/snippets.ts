/** The same first request in every language, with this service's address filled in. */
import type { ModelId } from "../src/protocol/models.js";
import type { Sample } from "./components/text/code-block.tsx";

interface SnippetOptions {
  /** Put into the code as it is. Without one, the code reads it from SOTTO_API_KEY. */
  key?: string;
  model?: ModelId;
}

/** The API's address, as a client library wants it. */
export function baseUrl(): string {
  return `${location.origin}/v1`;
}

export function chatSamples(options: SnippetOptions = {}): [curl: Sample, python: Sample, node: Sample] {
  return [curlSample(options), pythonSample(options), nodeSample(options)];
}

function curlSample({ key, model = "omega" }: SnippetOptions = {}): Sample {
  return {
    id: "curl",
    label: "curl",
    language: "bash",
    code: `curl ${baseUrl()}/chat/completions \\
  -H "Authorization: Bearer ${key ?? "$SOTTO_API_KEY"}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Say hello, quietly."}]
  }'`,
  };
}

function pythonSample({ key, model = "omega" }: SnippetOptions = {}): Sample {
  return {
    id: "python",
    label: "Python",
    language: "python",
    code: `${key === undefined ? "import os\n" : ""}from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl()}",
    api_key=${key === undefined ? 'os.environ["SOTTO_API_KEY"]' : `"${key}"`},
)

reply = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Say hello, quietly."}],
)
print(reply.choices[0].message.content)`,
  };
}

function nodeSample({ key, model = "omega" }: SnippetOptions = {}): Sample {
  return {
    id: "node",
    label: "Node",
    language: "javascript",
    code: `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl()}",
  apiKey: ${key === undefined ? "process.env.SOTTO_API_KEY" : `"${key}"`},
});

const reply = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Say hello, quietly." }],
});
console.log(reply.choices[0].message.content);`,
  };
}

export function aiSdkSample(): Sample {
  return {
    id: "ai-sdk",
    label: "AI SDK",
    language: "javascript",
    code: `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const sotto = createOpenAICompatible({
  name: "sotto",
  baseURL: "${baseUrl()}",
  apiKey: process.env.SOTTO_API_KEY,
});

const { text } = await generateText({
  model: sotto("omega"),
  prompt: "Say hello, quietly.",
});
console.log(text);`,
  };
}

export function langChainSamples(): Sample[] {
  return [
    {
      id: "langchain-python",
      label: "LangChain, Python",
      language: "python",
      code: `import os
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="omega",
    base_url="${baseUrl()}",
    api_key=os.environ["SOTTO_API_KEY"],
)
print(model.invoke("Say hello, quietly.").content)`,
    },
    {
      id: "langchain-js",
      label: "LangChain, JavaScript",
      language: "javascript",
      code: `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: "omega",
  apiKey: process.env.SOTTO_API_KEY,
  configuration: { baseURL: "${baseUrl()}" },
});
const reply = await model.invoke("Say hello, quietly.");
console.log(reply.content);`,
    },
  ];
}
