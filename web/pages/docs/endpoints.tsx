import { endpoints, type ApiName, type Endpoint } from "../../../src/protocol/endpoints.js";
import { Section } from "./section.tsx";

const sections: readonly { api: ApiName; id: string; title: string }[] = [
  { api: "OpenAI", id: "openai", title: "OpenAI" },
  { api: "Anthropic", id: "anthropic", title: "Anthropic" },
  { api: "Ollama", id: "ollama", title: "Ollama" },
  { api: "Sotto", id: "own", title: "This service’s own" },
];

export default function Endpoints() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        Every endpoint of OpenAI’s, Anthropic’s and Ollama’s APIs: supported; refused, because something would
        have to be stored or run for it, or because it is up to the operator; or not planned.
      </p>
      <p>
        One that is not supported is answered with 404 in the shape of its API, and with the sentence below.
      </p>
      {sections.map(({ api, id, title }) => (
        <Section key={id} id={id} title={title}>
          <Rows rows={endpoints.filter((endpoint) => endpoint.api === api)} />
        </Section>
      ))}
    </div>
  );
}

function Rows({ rows }: { rows: readonly Endpoint[] }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {rows.map((row) => (
        <div key={`${row.method} ${row.path}`} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[20rem_1fr]">
          <dt className="font-mono text-sm font-medium break-all">{nameOf(row)}</dt>
          <dd className="text-sm">
            <span className={row.status === "supported" ? "font-medium" : "text-muted"}>
              {words[row.status]}.
            </span>{" "}
            {row.text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const words: Record<Endpoint["status"], string> = {
  supported: "Supported",
  refused: "Refused",
  "not planned": "Not planned",
};

const nameOf = ({ method, path, below }: Endpoint): string =>
  `${method === "any" ? "" : `${method} `}${path}${below === true ? "/…" : ""}`;
