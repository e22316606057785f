/** Examples of what an operation takes and what it answers, from the document or made from its schemas. */
import { CodeBlock, CodeTabs, type Sample } from "../../../components/text/code-block.tsx";
import { resolve, type Body, type Media, type OpenApi, type Operation } from "./openapi.ts";
import { schemaExample } from "./schema-example.ts";

export function ApiExamples({ document, operation }: { document: OpenApi; operation: Operation }) {
  const success = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"));
  return (
    <>
      <Examples title="Request" samples={samplesOf(document, resolve(document, operation.requestBody))} />
      <Examples
        title={`Response ${success?.[0] ?? ""}`.trim()}
        samples={samplesOf(document, resolve(document, success?.[1]))}
      />
    </>
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

function valuesOf(document: OpenApi, media: Media): { name: string | undefined; value: unknown }[] {
  if (media.example !== undefined) return [{ name: undefined, value: media.example }];
  if (media.examples !== undefined) {
    return Object.entries(media.examples).flatMap(([name, example]) => {
      const resolved = resolve(document, example);
      return resolved?.value === undefined ? [] : [{ name: resolved.summary ?? name, value: resolved.value }];
    });
  }
  const made = schemaExample(document, media.schema);
  const isEmpty = made === null || typeof made !== "object" || Object.keys(made).length === 0;
  return isEmpty ? [] : [{ name: undefined, value: made }];
}

const shortTypes: Record<string, string | undefined> = {
  "application/json": "JSON",
  "text/event-stream": "Stream",
};
