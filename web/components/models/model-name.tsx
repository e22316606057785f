import type { ModelId } from "../../../src/core/models.js";

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

const drawings: Record<ModelId, string> = {
  omega: "M4 20h5.2v-2.3C6.4 16.4 4.8 13.9 4.8 11a7.2 7.2 0 0 1 14.4 0c0 2.9-1.6 5.4-4.4 6.7V20H20",
  prism: "M12 4.2 3.9 19h16.2L12 4.2ZM1.5 13.4l6.2-1.6M16.3 11.8l6.2.2M16.3 11.8l6.2 3",
  lambda: "M6.6 4h1.6c1 0 1.6.5 2 1.5l6.1 13c.4 1 1 1.5 2 1.5h1.1M11.9 9.2 5.6 20",
  iota: "M8.6 5h2.9v11.1c0 2.5 1.3 3.9 3.5 3.9 1.1 0 2-.3 2.7-.9",
};

/** A model's sign. Decorative: the name always stands beside it. */
export function ModelMark({ model, className }: { model: ModelId; className: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      className={className}
    >
      <path d={drawings[model]} />
    </svg>
  );
}
