/** docs/endpoints.md, generated from the service's own table of endpoints. */
import { format } from "prettier";
import { type ApiName, type Endpoint, endpoints } from "../src/protocol/endpoints.js";

const titles: Record<ApiName, string> = {
  OpenAI: "OpenAI",
  Anthropic: "Anthropic",
  Ollama: "Ollama",
  Sotto: "Sotto's own",
};

export async function endpointsPage(): Promise<string> {
  const sections = Object.entries(titles).map(([api, title]) => {
    const rows = endpoints.filter((endpoint) => endpoint.api === api).map(rowOf);
    return `## ${title}\n\n| endpoint | | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  const page = `# Endpoints

Every endpoint of OpenAI's, Anthropic's and Ollama's APIs: supported; refused, because something would have to be stored
or run for it, or because it is up to the operator; or not planned. One that is not supported is answered with 404
in the shape of its API, and with the sentence below. \`/…\` means all that is below the path.

${sections.join("\n")}
_Generated from \`src/protocol/endpoints.ts\` by \`npm run docs\`._
`;
  return format(page, { parser: "markdown", printWidth: 120 });
}

const rowOf = ({ method, path, below, status, text }: Endpoint): string =>
  `| \`${method === "any" ? "" : `${method} `}${path}${below === true ? "/…" : ""}\` | ${status} | ${text} |`;
