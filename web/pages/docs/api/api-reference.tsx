/** The API reference, rendered from /openapi.json: the page knows the format, not the operations. */
import { useQuery } from "@tanstack/react-query";
import { read } from "../../../service/api.ts";
import { CodeBlock } from "../../../components/text/code-block.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { Markdown } from "../../../components/text/markdown.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { baseUrl } from "../../../base-url.ts";
import { ApiOperation } from "./api-operation.tsx";
import { methods, type Method, type OpenApi, type Operation } from "./openapi.ts";

const openApiQuery = read<OpenApi>(["openapi"], "/openapi.json", { staleTime: Infinity });
export default function ApiReference() {
  const { data: document, error, refetch } = useQuery(openApiQuery);
  if (document === undefined) {
    return error === null ? (
      // As high as the screen, to avoid a visible layout shift below.
      <div className="min-h-screen">
        <SkeletonLines lines={8} />
      </div>
    ) : (
      <ErrorState error={error} onRetry={refetch} what="the reference" />
    );
  }
  return <Reference document={document} />;
}

interface OperationEntry {
  path: string;
  method: Method;
  operation: Operation;
}

/** The tag of operations for operators. */
const operatorTag = "Operation";

function Reference({ document }: { document: OpenApi }) {
  const operations: OperationEntry[] = Object.entries(document.paths).flatMap(([path, operationsOfPath]) =>
    methods.flatMap((method) => {
      const operation = operationsOfPath[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  const isForOperators = ({ operation }: OperationEntry) => operation.tags?.includes(operatorTag) === true;
  const forCallers = operations.filter((entry) => !isForOperators(entry));
  const forOperators = operations.filter(isForOperators);
  return (
    <>
      <div className="prose max-w-[44rem]">
        {document.info.description !== undefined && <Markdown>{document.info.description}</Markdown>}
        <p>
          Every request carries <code>Authorization: Bearer &lt;key&gt;</code>. The machine-readable version:{" "}
          <a href="/openapi.json">/openapi.json</a>.
        </p>
        <CodeBlock code={baseUrl()} title="Base URL" />
      </div>
      <OperationIndex label="Operations" operations={forCallers} />
      {forCallers.map((entry) => (
        <ApiOperation key={`${entry.method} ${entry.path}`} document={document} {...entry} />
      ))}
      {forOperators.length > 0 && (
        <>
          <header className="mt-24 max-w-[44rem] border-t-2 border-edge pt-10">
            <h2 id="operators" className="text-3xl">
              <a href="#operators">For operators</a>
            </h2>
            <p className="mt-3 text-muted">
              Health checks and metrics, for whoever runs the service. They are outside of <code>/v1</code>{" "}
              and need no API key; the metrics have a token of their own.
            </p>
          </header>
          <OperationIndex label="Operations for operators" operations={forOperators} />
          {forOperators.map((entry) => (
            <ApiOperation key={`${entry.method} ${entry.path}`} document={document} {...entry} />
          ))}
        </>
      )}
    </>
  );
}

/** Operations at a glance, in the document's order. */
function OperationIndex({ label, operations }: { label: string; operations: readonly OperationEntry[] }) {
  return (
    <nav aria-label={label} className="mt-10 max-w-[44rem]">
      <ul className="divide-y divide-line border-y border-line">
        {operations.map(({ path, method, operation }) => (
          <li key={`${method} ${path}`}>
            <a
              href={`#${operation.operationId ?? `${method}-${path}`}`}
              className="grid grid-cols-[3.5rem_1fr] items-baseline gap-x-3 py-2.5 text-sm hover:text-accent sm:grid-cols-[3.5rem_15rem_1fr]"
            >
              <span className="font-mono text-xs text-muted uppercase">{method}</span>
              <span className="font-mono">{path}</span>
              <span className="col-start-2 text-muted sm:col-start-3">{operation.summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
