import type { KeyReference, ListedKeyView } from "../../../../src/protocol/dashboard/keys.js";

interface KeyLineageProps {
  apiKey: ListedKeyView;
  /** Shows that key. */
  onFind: (id: string) => void;
}

/** Which key replaced which, after a rotation. */
export function KeyLineage({ apiKey: { replaces, replacedBy }, onFind }: KeyLineageProps) {
  return (
    <>
      {replaces !== null && <Line word="Replaces" other={replaces} onFind={onFind} />}
      {replacedBy !== null && <Line word="Replaced by" other={replacedBy} onFind={onFind} />}
    </>
  );
}

interface LineProps {
  word: string;
  other: KeyReference;
  onFind: (id: string) => void;
}

function Line({ word, other, onFind }: LineProps) {
  return (
    <span className="block text-sm text-muted">
      {word}{" "}
      <button
        type="button"
        title={other.name}
        onClick={() => onFind(other.id)}
        className="rounded-sm font-mono text-accent underline-offset-2 hover:underline"
      >
        …{other.lastFour}
      </button>
    </span>
  );
}
