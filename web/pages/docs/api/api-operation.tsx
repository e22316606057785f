/** One operation: parameters at the left, examples beside them, responses below. */
import { ChevronRight } from "lucide-react";
import { Markdown } from "../../../components/text/markdown.tsx";
import { cx } from "../../../cx.ts";
import { InlineCode } from "../inline-code.tsx";
import { ApiExamples } from "./api-examples.tsx";
import {
  resolve,
  type Body,
  type Media,
  type Method,
  type OpenApi,
  type Operation,
  type Reference,
} from "./openapi.ts";
import { PropertyList, PropertyRow } from "./property-list.tsx";

interface ApiOperationProps {
  document: OpenApi;
  path: string;
  method: Method;
  operation: Operation;
}

export function ApiOperation({ document, path, method, operation }: ApiOperationProps) {
  const id = operation.operationId ?? `${method}-${path}`;
  const body = resolve(document, operation.requestBody);
  const parameters = (operation.parameters ?? []).flatMap((one) => resolve(document, one) ?? []);
  return (
    <section aria-labelledby={id} className="mt-16 border-t border-line pt-10">
      <h2
        id={id}
        className="text-2xl after:ml-2 after:text-muted after:opacity-0 after:transition-opacity after:content-['#'/''] hover:after:opacity-100"
      >
        <a href={`#${id}`}>{operation.summary ?? path}</a>
      </h2>
      <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 font-mono text-sm">
        <span className={cx("rounded-sm px-2 py-0.5 font-medium uppercase", methodLooks[method])}>
          {method}
        </span>
        <span className="break-all">{fullPath(document, path)}</span>
        {operation.security?.length === 0 && <span className="font-sans text-muted">no key needed</span>}
      </p>
      {operation.description !== undefined && (
        <div className="mt-4 max-w-[44rem] text-muted">
          <Markdown>{operation.description}</Markdown>
        </div>
      )}
      <div className="mt-8 grid gap-10 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
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
                    anchor={id}
                    schema={withDescription(parameter.schema, parameter.description)}
                  />
                ))}
              </ul>
            </>
          )}
          {body !== undefined && (
            <>
              <h3 className="mb-2 font-semibold">Request body</h3>
              <PropertyList document={document} schema={schemaOf(body)} anchor={id} />
            </>
          )}
          <ApiResponses document={document} id={id} responses={operation.responses ?? {}} />
        </div>
        <div className="flex h-fit min-w-0 flex-col gap-6 xl:sticky xl:top-20">
          <ApiExamples document={document} path={path} method={method} operation={operation} />
        </div>
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

function schemaOf(body: Body) {
  return Object.values(body.content ?? {})[0]?.schema;
}

function withDescription(schema: Media["schema"] = {}, description: string | undefined) {
  return description === undefined ? schema : { ...schema, description };
}

/** With the common prefix, whether the document has it in `servers` or in the path. */
function fullPath(document: OpenApi, path: string): string {
  const server = document.servers?.[0]?.url ?? "";
  const prefix = server.replace(/^https?:\/\/[^/]*/, "").replace(/\/$/, "");
  return path.startsWith("/v1") ? path : `${prefix}${path}`;
}

interface ApiResponsesProps {
  document: OpenApi;
  id: string;
  responses: Record<string, Body | Reference>;
}

/** The possible responses, one line for each status, expandable to headers and fields. */
function ApiResponses({ document, id, responses }: ApiResponsesProps) {
  return (
    <>
      <h3 className="mt-8 mb-2 font-semibold">Responses</h3>
      <ul className="divide-y divide-line border-y border-line">
        {Object.entries(responses).map(([status, reference]) => {
          const response = resolve(document, reference);
          return (
            <li key={`${id}-${status}`}>
              <details className="group">
                <summary className="flex list-none items-baseline gap-4 py-2.5 text-sm [&::-webkit-details-marker]:hidden">
                  <span className="font-mono font-medium">{status}</span>
                  <span className="flex-1 text-muted">
                    <InlineCode text={response?.description ?? ""} />
                  </span>
                  <ChevronRight
                    className="size-4 shrink-0 self-center text-muted transition-transform group-open:rotate-90"
                    aria-hidden
                  />
                </summary>
                <div className="flex flex-col gap-4 pb-4">
                  <Headers document={document} response={response} />
                  {Object.entries(response?.content ?? {}).map(([type, media]) => (
                    <div key={type}>
                      <p className="mb-1 font-mono text-xs text-muted">{type}</p>
                      <PropertyList document={document} schema={media.schema} />
                    </div>
                  ))}
                </div>
              </details>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Headers({ document, response }: { document: OpenApi; response: Body | undefined }) {
  const headers = Object.entries(response?.headers ?? {});
  if (headers.length === 0) return null;
  return (
    <dl className="flex flex-col gap-1.5 text-sm">
      {headers.map(([name, header]) => (
        <div key={name} className="flex flex-wrap gap-x-3">
          <dt className="font-mono">{name}</dt>
          <dd className="text-muted">
            <InlineCode text={resolve(document, header)?.description ?? ""} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
