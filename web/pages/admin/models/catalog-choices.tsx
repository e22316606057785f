/** Models known to work well, with their requirements and what they get on this machine. */
import type { CatalogView, ModelChoicesView } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Badge } from "../../../components/states/badge.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formatDecimal, formatRate, formatSize } from "../../../units.ts";
import { ChoiceFailure, type Choice, FitBadge, WithoutDraft } from "./choice.tsx";
import { ChoiceRow } from "./choice-row.tsx";

interface CatalogChoicesProps {
  choices: ModelChoicesView;
  /** Of what serves the model now. */
  draft: string | null;
  model: ModelId;
  choose: Choice;
}

export function CatalogChoices({ choices, draft, model, choose }: CatalogChoicesProps) {
  const pick = ({ id, title, file }: CatalogView, contextTokens: number | undefined) =>
    choose.mutate(
      file === null
        ? {
            id,
            work: () => api.admin.pull({ reference: id, model, use: true, contextTokens }),
            done: `Downloading ${title}; ${model} switches over to it afterwards`,
          }
        : {
            id,
            work: () => api.admin.useWeights(model, { file, contextTokens }),
            done: `Switching ${model} to ${title}`,
          },
    );
  return (
    <>
      <ChoiceFailure choose={choose} />
      {choices.isAllSlow && (
        <Callout tone="warn" className="mb-4">
          None of these reaches 8 tokens a second on this machine.
        </Callout>
      )}
      <WithoutDraft draft={draft} what="A model chosen here" advice="Under Files, you can choose one." />
      <ul aria-label="Catalogue" className="divide-y divide-line">
        {choices.catalog.map((entry) => (
          <ChoiceRow
            key={entry.id}
            title={<span className="font-medium">{entry.title}</span>}
            badges={
              <>
                {entry.isBest && <Badge tone="good">Recommended here</Badge>}
                <FitBadge fits={entry.fits} />
                {entry.suits.includes(model) && <Badge tone="accent">Suits {model}</Badge>}
              </>
            }
            facts={factsOf(entry)}
            note={entry.goodFor}
            context={
              entry.fits === "no"
                ? null
                : { here: entry.here, trained: entry.contextTokens, choices: entry.contexts }
            }
            action={entry.file === null ? "Download and use" : "Use"}
            subject={entry.title}
            pending={choose.isPending && choose.variables.id === entry.id}
            onChoose={(contextTokens) => pick(entry, contextTokens)}
          />
        ))}
      </ul>
    </>
  );
}

const factsOf = (entry: CatalogView): string =>
  [
    ...(entry.tokensPerSecond === null
      ? []
      : [`About ${formatRate(entry.tokensPerSecond)} tokens a second here`]),
    `${formatDecimal(entry.parametersBillion)} billion parameters`,
    formatSize(entry.bytes),
    `licence ${entry.licence}`,
  ].join(", ");
