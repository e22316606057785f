/** Other names for the models. They come from the configuration or a file, and cannot be changed here. */
import type { ModelAlias } from "../../../../src/core/model-aliases.js";
import { Card } from "../../../components/frame/card.tsx";

export function AliasList({ aliases }: { aliases: readonly ModelAlias[] }) {
  return (
    <Card
      title="Aliases"
      description={
        <>
          Other names by which clients may ask for a model; <code className="font-mono">*</code> matches any
          characters. Set by <code className="font-mono wrap-anywhere">SOTTO_MODEL_ALIASES</code> in the
          configuration, or with <code className="font-mono">sotto apply</code>.
        </>
      }
    >
      {aliases.length === 0 ? (
        <p className="text-sm text-muted">None.</p>
      ) : (
        <ul className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
          {aliases.map(({ name, model }) => (
            <li key={name}>
              <code className="font-mono wrap-anywhere">{name}</code>
              <span className="text-muted"> → </span>
              {model}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
