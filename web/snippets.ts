/** The same first request in every language, from the table of clients, with this service's address filled in. */
import type { ConnectTarget } from "../src/connect/client.js";
import { codeClients } from "../src/connect/code-clients.js";
import type { ChatModelId } from "../src/core/models.js";
import type { Sample } from "./components/text/code-block.tsx";

interface SnippetOptions {
  /** Inserted into the code. Without one, the code reads SOTTO_API_KEY. */
  key?: string;
  model?: ChatModelId;
  /** Whether the code reads the reply as it is generated. */
  stream?: boolean;
}

const languages = [
  { client: "curl", id: "curl", label: "curl" },
  { client: "openai-python", id: "python", label: "Python" },
  { client: "openai-node", id: "node", label: "Node" },
  { client: "openai-go", id: "go", label: "Go" },
  { client: "environment", id: "environment", label: "Environment" },
];

const libraries = [
  { client: "ai-sdk", id: "ai-sdk", label: "AI SDK" },
  { client: "langchain-python", id: "langchain-python", label: "LangChain, Python" },
  { client: "langchain-js", id: "langchain-js", label: "LangChain, JavaScript" },
];

export const chatSamples = (options: SnippetOptions = {}): Sample[] => samplesOf(languages, options);
export const librarySamples = (): Sample[] => samplesOf(libraries, {});

function samplesOf(
  shown: readonly { client: string; id: string; label: string }[],
  { key, model = "omega", stream = false }: SnippetOptions,
): Sample[] {
  const target: ConnectTarget = { origin: location.origin, key: key ?? null, model, models: [], stream };
  return shown.flatMap(({ client, id, label }) => {
    const parts = codeClients.find((one) => one.id === client)?.configure(target) ?? [];
    const code = parts.findLast((part) => part.type === "code");
    return code?.type === "code" ? [{ id, label, language: code.language, code: code.text }] : [];
  });
}
