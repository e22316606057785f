/** Weights already on the server: those in the models folder, any other by its path, and the starter. */
import { useState } from "react";
import type { FileView, ModelChoicesView, ModelView } from "../../../../src/core/model-views.js";
import { isChatModelId, type ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Badge } from "../../../components/states/badge.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input, Select, unaided } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { fieldError } from "../../../form-errors.ts";
import { formatRate, formatSize } from "../../../units.ts";
import { ChoiceFailure, type Choice, FitBadge, WithoutDraft } from "./choice.tsx";
import { ChoiceRow } from "./choice-row.tsx";

interface FileChoicesProps {
  choices: ModelChoicesView;
  current: ModelView;
  model: ModelId;
  choose: Choice;
}

export function FileChoices({ choices, current, model, choose }: FileChoicesProps) {
  const [path, setPath] = useState("");
  const [force, setForce] = useState(false);
  const [draft, setDraft] = useState(current.draft);
  const use = (file: string, id: string, contextTokens?: number) =>
    choose.mutate({
      id,
      work: () => api.admin.useWeights(model, { file, force, contextTokens, draft }),
      done: `Switching ${model} to ${file}`,
    });
  const useStarter = () =>
    choose.mutate({
      id: "starter",
      work: () => api.admin.setModel(model, "default"),
      done: `Switching ${model} to the starter weights`,
    });
  const fromPath = choose.variables?.id === "path";
  return (
    <>
      {!fromPath && <ChoiceFailure choose={choose} />}
      {isChatModelId(model) && (
        <Field
          label="Draft model"
          hint="A much smaller model of the same family, which guesses tokens of the file that you choose. It needs memory of its own."
          className="mb-5"
        >
          <Select
            value={draft ?? ""}
            options={draftOptions(choices, current)}
            onValue={(value) => setDraft(value === "" ? null : value)}
          />
        </Field>
      )}
      <ul aria-label="Weights on this server" className="divide-y divide-line">
        {current.source?.type !== "starter" && (
          <li className="flex items-start justify-between gap-4 py-3.5 first:pt-0">
            <div className="min-w-0">
              <p className="font-medium">Starter weights</p>
              <p className="mt-1 text-sm text-muted">
                {isChatModelId(model)
                  ? "A demonstration model that comes with Sotto."
                  : "The embedding model that comes with Sotto."}
              </p>
              <WithoutDraft draft={current.draft} what="It" className="mt-1" />
            </div>
            <Button size="sm" pending={isPending(choose, "starter")} onClick={useStarter}>
              Use<span className="sr-only"> the starter weights</span>
            </Button>
          </li>
        )}
        {choices.files.map((item) => (
          <ChoiceRow
            key={item.file}
            title={<span className="min-w-0 font-medium wrap-anywhere">{item.file}</span>}
            badges={
              <>
                {item.problem === null && <FitBadge fits={item.fits} />}
                {item.models.map((one) => (
                  <Badge key={one} tone="accent">
                    Serves {one}
                  </Badge>
                ))}
              </>
            }
            facts={factsOf(item)}
            context={contextOf(item, current)}
            action={actionFor(item, current, draft)}
            subject={item.file}
            pending={isPending(choose, item.file)}
            onChoose={(contextTokens) => use(item.file, item.file, contextTokens)}
          />
        ))}
      </ul>
      {choices.files.length === 0 && (
        <p className="text-sm text-muted">
          No weights are in <span className="font-mono wrap-anywhere">{choices.folder}</span> yet.
        </p>
      )}
      <Form
        className="mt-5 flex flex-col gap-4 border-t border-line pt-5"
        error={fromPath ? choose.error : null}
        onSubmit={() => use(path.trim(), "path")}
      >
        <Field
          label="Path to a GGUF file on the server"
          error={fromPath ? (fieldError(choose.error, "file") ?? choose.error?.message) : undefined}
        >
          <Input
            value={path}
            maxLength={4096}
            placeholder="/models/my-model.gguf"
            {...unaided}
            className="font-mono"
            onValue={setPath}
          />
        </Field>
        <Checkbox
          label="Skip the memory check"
          hint="If the model fits into GPU memory."
          checked={force}
          onChange={setForce}
        />
        <Button type="submit" className="self-start" pending={isPending(choose, "path")}>
          Use this file
        </Button>
      </Form>
    </>
  );
}

const isPending = ({ isPending: pending, variables }: Choice, id: string): boolean =>
  pending && variables.id === id;

/** What serves the model already can only be given another draft model, or another context. */
function actionFor({ problem, models }: FileView, current: ModelView, draft: string | null): string | null {
  if (problem !== null) return null;
  if (!models.includes(current.model)) return "Use";
  return current.source?.type === "weights" && draft !== current.draft ? "Apply" : null;
}

/** Also the one in use, which may be elsewhere on the server. */
function draftOptions({ files }: ModelChoicesView, { draft }: ModelView) {
  const usable = files.filter(({ problem }) => problem === null).map(({ file }) => file);
  const names = new Set(draft === null ? usable : [...usable, draft]);
  return [{ value: "", label: "None" }, ...[...names].map((name) => ({ value: name, label: name }))];
}

/** The starter keeps the context that it was trained for. */
function contextOf({ weights, contexts, models, fits }: FileView, current: ModelView) {
  if (weights === null || fits === "no") return null;
  const { here, contextTokens: trained } = weights;
  const isOwn = models.includes(current.model);
  const choices = isOwn && current.source?.type === "starter" ? [] : contexts;
  return { here, trained, choices, chosen: isOwn ? current.chosenContextTokens : null };
}

function factsOf({ weights, problem, speed, tokensPerSecond }: FileView): string {
  if (weights === null) return `It ${problem ?? "cannot be read"}.`;
  return [
    weights.quantisation,
    formatSize(weights.bytes),
    ...(weights.hasChatTemplate ? [] : ["no chat template: completions only"]),
    ...(speed === null
      ? tokensPerSecond === null
        ? []
        : [`about ${formatRate(tokensPerSecond)} tokens a second here`]
      : [`${formatRate(speed.tokensPerSecond)} tokens a second here, as measured`]),
  ].join(", ");
}
