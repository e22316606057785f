import type { ModelId } from "../../../src/core/models.js";
import { ModelMark } from "./model-mark.tsx";

/** A model's mark and name in a line of text or a cell. */
export function ModelName({ model }: { model: ModelId }) {
  return (
    <span className="inline-flex items-center gap-2">
      <ModelMark model={model} className="size-4 shrink-0 text-accent" />
      {model}
    </span>
  );
}

/** Which models something may use; null for every one. */
export function modelsText(models: readonly ModelId[] | null): string {
  return models === null ? "All models" : models.join(", ");
}
