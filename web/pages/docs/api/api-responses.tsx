import { ChevronRight } from "lucide-react";
import { InlineCode } from "../inline-code.tsx";
import { resolve, type Body, type OpenApi, type Reference } from "./openapi.ts";
import { PropertyList } from "./property-list.tsx";

interface ApiResponsesProps {
  document: OpenApi;
  id: string;
  responses: Record<string, Body | Reference>;
}

/** The possible responses, one line for each status, expandable to headers and fields. */
export function ApiResponses({ document, id, responses }: ApiResponsesProps) {
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
