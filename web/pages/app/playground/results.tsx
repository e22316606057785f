import { CopyButton } from "../../../components/controls/copy-button.tsx";
import type { CallResult } from "./conversation.ts";

/** The user's results for the calls of a reply, as plain text. */
export function Results({ results }: { results: readonly CallResult[] }) {
  return (
    <ol aria-label="Results" className="flex flex-col gap-3">
      {results.map(({ name, text }, place) => (
        <li key={place} className="flex flex-col items-end gap-1">
          <div className="max-w-[85%] rounded-lg bg-hover px-4 py-2.5">
            <p className="text-sm wrap-anywhere text-muted">Result of {name}</p>
            <p dir="auto" className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
              {text === "" ? "(empty)" : text}
            </p>
          </div>
          <CopyButton text={text} label="Copy result" />
        </li>
      ))}
    </ol>
  );
}
