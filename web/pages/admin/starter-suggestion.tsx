import { useQuery } from "@tanstack/react-query";
import { Callout } from "../../components/states/callout.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { queries } from "../../service/queries.ts";
import { formatDecimal } from "../../units.ts";

/** While the starter is in use: the best model that fits on this machine, and how to get it. */
export function StarterSuggestion() {
  const suggestion = useQuery(queries.admin.suggestion).data?.suggestion ?? null;
  if (suggestion === null) return null;
  const { best, command } = suggestion;
  return (
    <Callout tone="warn" title="The starter is a demonstration model" className="mb-6">
      {best === null ? (
        <p>See the other models:</p>
      ) : (
        <p>
          This machine has room for {best.title} ({formatDecimal(best.bytes / 1e9)} GB). {best.goodFor} Get it
          with:
        </p>
      )}
      <CodeBlock code={command} language="bash" className="mt-2 max-w-xl" />
    </Callout>
  );
}
