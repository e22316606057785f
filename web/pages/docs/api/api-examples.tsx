/** An operation as code and its response, from the document's examples or generated from its schemas. */
import { useState } from "react";
import { Select } from "../../../components/controls/field.tsx";
import { CodeBlock, CodeTabs, type Sample } from "../../../components/text/code-block.tsx";
import { bodiesOf, valuesOf } from "./document-examples.ts";
import { resolve, type Body, type Method, type OpenApi, type Operation } from "./openapi.ts";
import { requestSamples } from "./request-samples.ts";

interface ApiExamplesProps {
  document: OpenApi;
  path: string;
  method: Method;
  operation: Operation;
}

export function ApiExamples({ document, path, method, operation }: ApiExamplesProps) {
  const success = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"));
  return (
    <>
      <RequestCode document={document} path={path} method={method} operation={operation} />
      <Examples
        title={`Response ${success?.[0] ?? ""}`.trim()}
        samples={samplesOf(document, resolve(document, success?.[1]))}
      />
    </>
  );
}

function RequestCode({ document, path, method, operation }: ApiExamplesProps) {
  const bodies = bodiesOf(document, operation);
  const [chosen, setChosen] = useState("0");
  const body = bodies[Number(chosen)]?.value;
  return (
    <div>
      <h3 className="mb-2 font-semibold">Request</h3>
      {bodies.length > 1 && (
        <Select
          aria-label={`Example for ${operation.summary ?? path}`}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          options={bodies.map(({ name }, position) => ({
            value: String(position),
            label: name ?? "Example",
          }))}
          className="mb-2"
        />
      )}
      <CodeTabs
        label={`Code for ${operation.summary ?? path}`}
        samples={requestSamples({ origin: location.origin, path, method, operation, body })}
      />
    </div>
  );
}

function Examples({ title, samples }: { title: string; samples: readonly Sample[] }) {
  const [only, ...others] = samples;
  if (only === undefined) return null;
  return (
    <div>
      <h3 className="mb-2 font-semibold">{title}</h3>
      {others.length === 0 ? (
        <CodeBlock code={only.code} language={only.language} />
      ) : (
        <CodeTabs label={title} samples={samples} />
      )}
    </div>
  );
}

function samplesOf(document: OpenApi, body: Body | undefined): Sample[] {
  return Object.entries(body?.content ?? {}).flatMap(([type, media], kind) =>
    valuesOf(document, media).map(({ name, value }, position) => ({
      id: `${kind}-${position}`,
      label: name ?? shortTypes[type] ?? type,
      language: "json",
      code: typeof value === "string" ? value.trim() : JSON.stringify(value, null, 2),
    })),
  );
}

const shortTypes: Record<string, string | undefined> = {
  "application/json": "JSON",
  "text/event-stream": "Stream",
};
