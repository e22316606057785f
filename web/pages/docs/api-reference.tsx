/** The API reference, drawn from /openapi.json: the page knows the format and nothing of the operations. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { refusal } from "../../api.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { baseUrl } from "../../snippets.ts";
import { ApiOperation } from "./api-operation.tsx";
import { InlineCode } from "./inline-code.tsx";
import { methods, type OpenApi } from "./openapi.ts";

const openApiQuery = queryOptions({
  queryKey: ["openapi"],
  staleTime: Infinity,
  queryFn: async (): Promise<OpenApi> => {
    const response = await fetch("/openapi.json");
    if (!response.ok) throw await refusal(response);
    return (await response.json()) as OpenApi;
  },
});

export default function ApiReference() {
  const { data: document, error, refetch } = useQuery(openApiQuery);
  if (document === undefined) {
    return error === null ? (
      <SkeletonLines lines={8} />
    ) : (
      <ErrorState error={error} onRetry={refetch} what="the reference" />
    );
  }
  return <Reference document={document} />;
}

function Reference({ document }: { document: OpenApi }) {
  const operations = Object.entries(document.paths).flatMap(([path, operationsOfPath]) =>
    methods.flatMap((method) => {
      const operation = operationsOfPath[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  return (
    <>
      <div className="prose max-w-[44rem]">
        {document.info.description !== undefined && (
          <p className="text-lg text-muted">
            <InlineCode text={document.info.description} />
          </p>
        )}
        <p>
          Every request carries <code>Authorization: Bearer &lt;key&gt;</code>. The same reference for
          programs: <a href="/openapi.json">/openapi.json</a>.
        </p>
        <CodeBlock code={baseUrl()} title="Base URL" />
      </div>
      {operations.map((entry) => (
        <ApiOperation key={`${entry.method} ${entry.path}`} document={document} {...entry} />
      ))}
    </>
  );
}
