/** Models known to work well, with what each needs and whether this machine has it. */
import type { CatalogView } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Badge } from "../../../components/states/badge.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { formatCount, formatDecimal, formatSize } from "../../../units.ts";
import { ChoiceFailure, type Choice } from "./choice.tsx";
import { FitBadge } from "./fit-badge.tsx";

interface CatalogChoicesProps {
  entries: readonly CatalogView[];
  model: ModelId;
  choose: Choice;
}

export function CatalogChoices({ entries, model, choose }: CatalogChoicesProps) {
  const pick = ({ id, title, file }: CatalogView) =>
    choose.mutate(
      file === null
        ? { id, work: () => api.admin.pull({ reference: id, model }), done: `Downloading ${title}` }
        : { id, work: () => api.admin.useWeights(model, { file }), done: `Switching ${model} to ${title}` },
    );
  return (
    <>
      <ChoiceFailure choose={choose} />
      <ul aria-label="Catalogue" className="divide-y divide-line">
        {entries.map((entry) => (
          <li key={entry.id} className="flex items-start justify-between gap-4 py-3.5 first:pt-0">
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <span className="font-medium">{entry.title}</span>
                <FitBadge fits={entry.fits} />
                {entry.suits.includes(model) && <Badge tone="accent">Suits {model}</Badge>}
              </p>
              <p className="mt-1 text-sm text-muted">{factsOf(entry)}</p>
              <p className="mt-1 text-sm">{entry.goodFor}</p>
            </div>
            <Button
              size="sm"
              pending={choose.isPending && choose.variables.id === entry.id}
              onClick={() => pick(entry)}
            >
              {entry.file === null ? "Download" : "Use"}
              <span className="sr-only"> {entry.title}</span>
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

const factsOf = (entry: CatalogView): string =>
  [
    `${formatDecimal(entry.parametersBillion)} billion parameters`,
    formatSize(entry.bytes),
    `${formatSize(entry.memoryNeedBytes)} of memory`,
    `${formatCount(entry.contextTokens)} tokens of context`,
    `licence ${entry.licence}`,
  ].join(", ");
