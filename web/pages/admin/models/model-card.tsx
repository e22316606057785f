/** One model: what serves it, how that performs on this machine, and the ways to change it. */
import type { ModelView } from "../../../../src/core/model-views.js";
import { isChatModelId } from "../../../../src/core/models.js";
import { Badge } from "../../../components/states/badge.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { FactList, type Fact } from "../../../components/figures/fact-list.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { Spinner } from "../../../components/states/spinner.tsx";
import { states } from "../engine-card.tsx";
import { formatBytes, formatCount, formatRate, formatSize } from "../../../units.ts";

interface ModelCardProps {
  model: ModelView;
  onChange: () => void;
  onRollBack: () => void;
}

export function ModelCard({ model, onChange, onRollBack }: ModelCardProps) {
  const { tone, word } = states[model.state];
  const isSwitching = model.change?.state === "switching";
  return (
    <Card
      stretch
      title={
        <span className="flex items-center gap-3">
          <ModelName model={model.model} />
          <Badge tone={tone} dot>
            {word}
          </Badge>
        </span>
      }
      description={
        <span className="wrap-anywhere" title={model.source?.detail}>
          {model.source?.label ?? "The saved choice cannot be read. Choose again."}
        </span>
      }
    >
      <FactList facts={factsOf(model)} />
      <ChangeNote model={model} />
      {model.fixedBy === null ? (
        <div className="mt-auto flex flex-wrap gap-2 pt-5">
          <Button onClick={onChange} disabled={isSwitching}>
            Change model<span className="sr-only"> of {model.model}</span>
          </Button>
          {model.previous !== null && (
            <Button variant="quiet" onClick={onRollBack} disabled={isSwitching}>
              Roll back<span className="sr-only"> {model.model}</span>
            </Button>
          )}
        </div>
      ) : (
        <p className="mt-auto pt-5 text-sm text-muted">
          Set by <code className="font-mono wrap-anywhere text-ink">{model.fixedBy}</code> in the
          configuration. Remove that setting to choose here.
        </p>
      )}
    </Card>
  );
}

function ChangeNote({ model: { change, source } }: { model: ModelView }) {
  if (change === null) return null;
  if (change.state === "switching") {
    return (
      <p role="status" className="mt-5 flex items-center gap-2.5 text-sm">
        <Spinner />
        <span className="min-w-0 wrap-anywhere">Loading {change.to.label}</span>
      </p>
    );
  }
  return (
    <Callout tone="warn" className="mt-5" title={`Could not switch to ${change.to.label}`}>
      <p className="wrap-anywhere">{change.reason}</p>
      {source !== null && <p className="mt-1 wrap-anywhere text-muted">{source.label} still serves it.</p>}
    </Callout>
  );
}

function factsOf(model: ModelView): Fact[] {
  if (model.state === "off") return [];
  const { weights, speed } = model;
  const isElsewhere = model.source?.type === "upstreams";
  return [
    ...(weights === null ? [] : ([["Size", formatSize(weights.bytes)]] satisfies [string, string][])),
    ...(weights === null ? [] : ([["Quantisation", weights.quantisation]] satisfies [string, string][])),
    ["Context you get here", contextOf(model)],
    ...(isElsewhere ? [] : ([["Concurrent requests", formatCount(model.sequences)]] satisfies Fact[])),
    ...(model.cacheType === null || model.cacheType === "f16"
      ? []
      : ([["KV cache", `${model.cacheType}, to fit`]] satisfies Fact[])),
    ["Runs on", isElsewhere ? "Another machine" : model.compute === null ? "–" : backendNames[model.compute]],
    ...(isChatModelId(model.model)
      ? ([
          ["Speed", speed === null ? "Not measured yet" : speedOf(model, speed.tokensPerSecond)],
        ] satisfies Fact[])
      : []),
    ["Memory", memoryOf(model)],
    ...(model.draft === null ? [] : ([["Draft model", model.draft]] satisfies Fact[])),
    ...(weights?.hasChatTemplate === false ? ([["Answers", "Completions only"]] satisfies Fact[]) : []),
    ...(model.fallback === null ? [] : ([["Substitute", model.fallback]] satisfies Fact[])),
  ];
}

function contextOf({ contextTokens, weights }: ModelView): string {
  if (contextTokens === 0) return "–";
  const trained = weights?.contextTokens ?? null;
  const rest = trained === null || trained <= contextTokens ? "" : `, trained for ${formatCount(trained)}`;
  return `${formatCount(contextTokens)} tokens${rest}`;
}

/** With that of the model before it, after a change. */
function speedOf({ previous, previousSpeed }: ModelView, rate: number): string {
  const before =
    previous === null || previousSpeed === null
      ? ""
      : `, before ${formatRate(previousSpeed.tokensPerSecond)}`;
  return `${formatRate(rate)} tokens/s${before}`;
}

/** One engine takes its memory once, whatever the number of models that it serves. */
function memoryOf({ memoryBytes, sharedWith }: ModelView): string {
  if (memoryBytes === null) return "–";
  const shared =
    sharedWith.length === 0 ? "" : `, shared with ${new Intl.ListFormat("en-GB").format(sharedWith)}`;
  return `${formatBytes(memoryBytes)}${shared}`;
}

const backendNames = { cuda: "GPU (CUDA)", vulkan: "GPU (Vulkan)", metal: "GPU (Metal)", cpu: "CPU" };
