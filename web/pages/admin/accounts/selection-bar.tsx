import { CirclePause, CirclePlay, Layers } from "lucide-react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { mostAtOnce } from "../../../../src/core/bounds.js";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { formatCount } from "../../../units.ts";
import type { BulkAction } from "./bulk-dialog.tsx";

/** By id, across pages. */
export type Selection = ReadonlyMap<string, AccountView>;
export const noSelection: Selection = new Map();

interface SelectionBarProps {
  shown: readonly AccountView[];
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

/** Above the list: select all, and how many are selected. */
export function SelectionBar({ shown, selection, onSelect }: SelectionBarProps) {
  const hasAll = shown.length > 0 && shown.every(({ id }) => selection.has(id));
  const selectShown = (on: boolean) => {
    const next = new Map(selection);
    for (const account of shown) {
      if (!on) next.delete(account.id);
      else if (next.size < mostAtOnce) next.set(account.id, account);
    }
    onSelect(next);
  };
  return (
    <div className="mb-3 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <Checkbox
        label="Select all on this page"
        checked={hasAll}
        disabled={shown.length === 0}
        onChange={selectShown}
      />
      {selection.size > 0 && (
        <span role="status" className="text-muted tabular-nums">
          {formatCount(selection.size)} selected{selection.size >= mostAtOnce && " (maximum)"}
        </span>
      )}
    </div>
  );
}

interface SelectionActionsProps {
  onClear: () => void;
  onAction: (action: BulkAction) => void;
}

/** The bulk actions: below the list, which would otherwise move, and sticky while scrolling. */
export function SelectionActions({ onClear, onAction }: SelectionActionsProps) {
  return (
    <div
      role="group"
      aria-label="Selected accounts"
      className="sticky bottom-4 z-10 mx-auto mt-4 flex w-fit flex-wrap justify-center gap-2 rounded-lg border border-line bg-surface p-2 shadow-float"
    >
      <Button size="sm" icon={<Layers />} onClick={() => onAction("plan")}>
        Change plan…
      </Button>
      <Button size="sm" icon={<CirclePause />} onClick={() => onAction("suspend")}>
        Suspend…
      </Button>
      <Button size="sm" icon={<CirclePlay />} onClick={() => onAction("resume")}>
        Resume…
      </Button>
      <Button size="sm" variant="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  );
}
