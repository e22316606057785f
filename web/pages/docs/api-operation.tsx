/** One operation: what it takes at the left, examples beside it, what it answers below. */
import { CodeBlock } from "../../components/code-block.tsx";
import { cx } from "../../cx.ts";
import { InlineCode } from "./inline-code.tsx";
import { resolve, type Body, type Media, type Method, type OpenApi, type Operation } from "./openapi.ts";
import { ApiResponses } from "./api-responses.tsx";
import { PropertyList, PropertyRow } from "./property-list.tsx";
import { useScrollHere } from "./section.tsx";

interface ApiOperationProps {
  document: OpenApi;
  path: string;
  method: Method;
  operation: Operation;
}

export function ApiOperation({ document, path, method, operation }: ApiOperationProps) {
  const id = operation.operationId ?? `${method}-${path}`;
  useScrollHere(id);
  const body = resolve(document, operation.requestBody);
  const parameters = (operation.parameters ?? []).flatMap((one) => resolve(document, one) ?? []);
  const samples = samplesOf(document, body, operation);
  return (
    <section aria-labelledby={id} className="mt-16 border-t border-line pt-10">
      <h2 id={id} className="text-2xl">
        <a href={`#${id}`}>{operation.summary ?? path}</a>
      </h2>
      <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 font-mono text-sm">
        <span className={cx("rounded-sm px-2 py-0.5 font-medium uppercase", methodLooks[method])}>
          {method}
        </span>
        <span className="break-all">{fullPath(document, path)}</span>
      </p>
      {operation.description !== undefined && (
        <p className="mt-4 max-w-[44rem] text-muted">
          <InlineCode text={operation.description} />
        </p>
      )}
      <div className="mt-6 grid gap-10 xl:grid-cols-2">
        <div className="min-w-0">
          {parameters.length > 0 && (
            <>
              <h3 className="mb-2 font-semibold">Parameters</h3>
              <ul className="divide-y divide-line border-y border-line">
                {parameters.map((parameter) => (
                  <PropertyRow
                    key={parameter.name}
                    document={document}
                    name={parameter.name}
                    required={parameter.required ?? false}
                    schema={withDescription(parameter.schema, parameter.description)}
                  />
                ))}
              </ul>
            </>
          )}
          {body !== undefined && (
            <>
              <h3 className="mb-2 font-semibold">Request body</h3>
              <PropertyList document={document} schema={schemaOf(body)} />
            </>
          )}
          <ApiResponses document={document} id={id} responses={operation.responses ?? {}} />
        </div>
        {samples.length > 0 && (
          <div className="flex h-fit min-w-0 flex-col gap-4 xl:sticky xl:top-20">
            {samples.map((sample) => (
              <CodeBlock key={sample.title} {...sample} language="json" />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

const methodLooks: Record<Method, string> = {
  get: "bg-good-soft text-good",
  post: "bg-accent-soft text-accent",
  put: "bg-warn-soft text-warn",
  patch: "bg-warn-soft text-warn",
  delete: "bg-bad-soft text-bad",
};

function samplesOf(document: OpenApi, body: Body | undefined, operation: Operation) {
  const success = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"));
  const reply = resolve(document, success?.[1]);
  return [
    ...examplesOf(document, body, "Request"),
    ...examplesOf(document, reply, `Response ${success?.[0] ?? ""}`.trim()),
  ];
}

function examplesOf(document: OpenApi, body: Body | undefined, title: string) {
  return Object.values(body?.content ?? {}).flatMap((media) =>
    valuesOf(document, media).map(({ name, value }) => ({
      title: name === undefined ? title : `${title}: ${name}`,
      code: typeof value === "string" ? value : JSON.stringify(value, null, 2),
    })),
  );
}

function valuesOf(document: OpenApi, media: Media): { name: string | undefined; value: unknown }[] {
  if (media.example !== undefined) return [{ name: undefined, value: media.example }];
  return Object.entries(media.examples ?? {}).flatMap(([name, example]) => {
    const resolved = resolve(document, example);
    return resolved?.value === undefined ? [] : [{ name: resolved.summary ?? name, value: resolved.value }];
  });
}

function schemaOf(body: Body) {
  return Object.values(body.content ?? {})[0]?.schema;
}

function withDescription(schema: Media["schema"] = {}, description: string | undefined) {
  return description === undefined ? schema : { ...schema, description };
}

/** With the prefix that every path has, whether the document writes it in `servers` or in the path. */
function fullPath(document: OpenApi, path: string): string {
  const server = document.servers?.[0]?.url ?? "";
  const prefix = server.replace(/^https?:\/\/[^/]*/, "").replace(/\/$/, "");
  return path.startsWith("/v1") ? path : `${prefix}${path}`;
}
