/** Libraries: the first request, in code. The key comes from the environment unless one is filled in. */
import {
  baseUrl,
  keyText,
  keyVariable,
  type ConfigPart,
  type ConnectClient,
  type ConnectTarget,
} from "./client.js";

const question = "Say hello, quietly.";

interface Library extends Omit<ConnectClient, "group" | "api" | "configure"> {
  install?: string;
  language: keyof typeof titles;
  program: (target: ConnectTarget) => string;
  note?: string;
}

const libraries: readonly Library[] = [
  {
    id: "curl",
    name: "curl",
    family: "curl",
    checked: { version: "7.88.1", how: "run", source: "https://curl.se/docs/manpage.html" },
    streams: true,
    language: "bash",
    program: (target) => `curl ${target.stream ? "--no-buffer " : ""}${baseUrl(target)}/chat/completions \\
  -H "Authorization: Bearer ${target.key ?? `$${keyVariable}`}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${target.model}",${target.stream ? '\n    "stream": true,' : ""}
    "messages": [{"role": "user", "content": "${question}"}]
  }'`,
  },
  {
    id: "openai-node",
    name: "OpenAI library for Node",
    family: "openai-node",
    checked: { version: "openai 6.49.0", how: "run", source: "https://www.npmjs.com/package/openai" },
    streams: true,
    install: "npm install openai",
    language: "javascript",
    program: (target) => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl(target)}",
  apiKey: ${inJavaScript(target)},
});

${target.stream ? nodeStream(target) : nodeReply(target)}`,
  },
  {
    id: "openai-python",
    name: "OpenAI library for Python",
    family: "openai-python",
    checked: { version: "openai 3.22.1", how: "documentation", source: "https://pypi.org/project/openai/" },
    streams: true,
    install: "pip install openai",
    language: "python",
    program: (target) => `${importOs(target)}from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl(target)}",
    api_key=${inPython(target)},
)

${target.stream ? pythonStream(target) : pythonReply(target)}`,
  },
  {
    id: "ai-sdk",
    name: "AI SDK",
    family: "ai-sdk",
    checked: {
      version: "ai 6.0.326, @ai-sdk/openai-compatible 2.0.87",
      how: "run",
      source: "https://ai-sdk.dev/providers/openai-compatible-providers",
    },
    install: "npm install ai @ai-sdk/openai-compatible",
    language: "javascript",
    program: (target) => `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
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
    note: "The default openai() provider works too: createOpenAI({ baseURL, apiKey }) calls /v1/responses.",
  },
  {
    id: "langchain-python",
    name: "LangChain for Python",
    checked: {
      version: "langchain-openai 1.6.6",
      how: "source",
      source: "https://pypi.org/project/langchain-openai/",
    },
    install: "pip install langchain-openai",
    language: "python",
    program: (target) => `${importOs(target)}from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="${target.model}",
    base_url="${baseUrl(target)}",
    api_key=${inPython(target)},
)
print(model.invoke("${question}").content)`,
  },
  {
    id: "langchain-js",
    name: "LangChain for JavaScript",
    family: "langchain-js",
    checked: {
      version: "@langchain/openai 1.5.8",
      how: "run",
      source: "https://www.npmjs.com/package/@langchain/openai",
    },
    install: "npm install @langchain/openai @langchain/core",
    language: "javascript",
    program: (target) => `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: "${target.model}",
  apiKey: ${inJavaScript(target)},
  configuration: { baseURL: "${baseUrl(target)}" },
});
const reply = await model.invoke("${question}");
console.log(reply.content);`,
  },
  {
    id: "openai-go",
    name: "OpenAI library for Go",
    family: "openai-go",
    checked: {
      version: "openai-go 3.76.0",
      how: "documentation",
      source: "https://pkg.go.dev/github.com/openai/openai-go/v3",
    },
    streams: true,
    install: "go get github.com/openai/openai-go/v3",
    language: "go",
    program: goProgram,
  },
];

const environment: Omit<ConnectClient, "group" | "api"> = {
  id: "environment",
  name: "Environment variables",
  checked: { version: "openai 6.49.0", how: "run", source: "https://www.npmjs.com/package/openai" },
  configure: (target) => [
    {
      type: "code",
      title: "Shell",
      language: "bash",
      text: `export OPENAI_BASE_URL="${baseUrl(target)}"
export OPENAI_API_KEY="${keyText(target)}"`,
    },
    {
      type: "note",
      text: `Programs that use an OpenAI library for Python, Node or Go read them. They must also ask for one of the models, such as ${target.model}.`,
    },
  ],
};

const titles = { bash: "Request", javascript: "JavaScript", python: "Python", go: "Go" };

export const codeClients: readonly ConnectClient[] = [...libraries.map(clientOf), environment].map(
  (client) => ({ group: "Libraries", api: "Chat Completions", ...client }),
);

function clientOf({ install, language, program, note, ...client }: Library) {
  const code = (title: string, text: string, written = language): ConfigPart => ({
    type: "code",
    title,
    language: written,
    text,
  });
  const configure = (target: ConnectTarget): ConfigPart[] => [
    ...(install === undefined ? [] : [code("Install", install, "bash")]),
    // Nothing where the code has the key in it.
    ...(target.key === null ? [code("Key", `export ${keyVariable}="sk-sotto-…"`, "bash")] : []),
    code(titles[language], program(target)),
    ...(note === undefined ? [] : [{ type: "note", text: note } as const]),
  ];
  return { ...client, configure };
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

/** Indented with tabs, as gofmt does. */
function goProgram(target: ConnectTarget): string {
  const key = target.key === null ? `os.Getenv("${keyVariable}")` : JSON.stringify(target.key);
  return `package main

import (
	"context"
	"fmt"${target.key === null ? '\n\t"os"' : ""}

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL("${baseUrl(target)}"),
		option.WithAPIKey(${key}),
	)
	request := openai.ChatCompletionNewParams{
		Model: "${target.model}",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("${question}"),
		},
	}
${target.stream ? goStream : goReply}
}`;
}

const goReply = `	reply, err := client.Chat.Completions.New(context.Background(), request)
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.Choices[0].Message.Content)`;

const goStream = `	stream := client.Chat.Completions.NewStreaming(context.Background(), request)
	for stream.Next() {
		if chunk := stream.Current(); len(chunk.Choices) > 0 {
			fmt.Print(chunk.Choices[0].Delta.Content)
		}
	}
	if err := stream.Err(); err != nil {
		panic(err)
	}`;
