/** The set-up checklist. Items that the service can check are ticked automatically; the others by an admin. */
import { ChevronDown, Circle, CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import type { Checklist, ChecklistItem } from "../../../../src/core/admin/service-views.js";
import type { ModelSuggestion } from "../../../../src/protocol/dashboard/engines.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { titles, ItemText } from "./checklist-items.tsx";

interface SetupChecklistProps {
  checklist: Checklist;
  suggestion: ModelSuggestion | null;
}

export function SetupChecklist({ checklist, suggestion }: SetupChecklistProps) {
  const keepFocus = useKeptFocus(checklist);
  const readAgain = useReadAgain();
  const reads = [adminQueries.home.queryKey];
  const tick = useChange(
    ({ id, ticked }: { id: ChecklistItem; ticked: boolean }) => adminApi.tick(id, ticked),
    { onDone: (_done, { id }) => keepFocus(id), reads, toastsErrors: true },
  );
  const hide = useChange(
    async () => {
      await adminApi.hideChecklist();
      await readAgain(reads);
    },
    { onDone: () => document.getElementById("main")?.focus(), toastsErrors: true },
  );
  const { entries } = checklist;
  const firstOpen = entries.find(({ state }) => state === "open")?.id;
  const left = entries.filter(({ state }) => state === "open").length;
  return (
    <Card
      title="Set up your service"
      description={
        left === 0
          ? "Everything is done."
          : `${entries.length - left} of ${entries.length} done. Items that the service can check are ticked off automatically.`
      }
      actions={
        left === 0 ? (
          <Button size="sm" pending={hide.isPending} onClick={() => hide.mutate()}>
            Hide checklist
          </Button>
        ) : undefined
      }
      flush
    >
      <ul className="divide-y divide-line">
        {entries.map(({ id, state }) => (
          <li key={id}>
            {state === "open" ? (
              <details open={id === firstOpen} className="group">
                <summary
                  id={controlOf(id)}
                  className="flex items-center gap-3.5 px-5 py-3.5 hover:bg-hover sm:px-6 [&::-webkit-details-marker]:hidden"
                >
                  <Circle className="size-5 shrink-0 text-edge" aria-hidden />
                  <span className="flex-1 font-medium">
                    <span className="sr-only">To do: </span>
                    {titles[id]}
                  </span>
                  <ChevronDown
                    className="size-4 shrink-0 text-muted transition-transform group-open:rotate-180"
                    aria-hidden
                  />
                </summary>
                <div className="pr-5 pb-4 pl-13.5 sm:pr-6 sm:pl-14.5">
                  <ItemText id={id} state={state} checklist={checklist} suggestion={suggestion} />
                  <Button
                    size="sm"
                    className="mt-3"
                    aria-label={`Mark as done: ${titles[id]}`}
                    pending={tick.isPending && tick.variables.id === id}
                    onClick={() => tick.mutate({ id, ticked: true })}
                  >
                    Mark as done
                  </Button>
                </div>
              </details>
            ) : (
              <div className="flex items-start gap-3.5 px-5 py-3.5 sm:px-6">
                <CircleCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden />
                <div className="min-w-0 flex-1 gap-x-4 sm:flex sm:flex-wrap sm:items-baseline">
                  <span className="text-muted">
                    <span className="sr-only">Done: </span>
                    {titles[id]}
                  </span>
                  <ItemText id={id} state={state} checklist={checklist} suggestion={suggestion} />
                </div>
                {state === "ticked" && (
                  <Button
                    id={controlOf(id)}
                    size="sm"
                    variant="quiet"
                    className="-my-1"
                    aria-label={`Undo: ${titles[id]}`}
                    pending={tick.isPending && tick.variables.id === id}
                    onClick={() => tick.mutate({ id, ticked: false })}
                  >
                    Undo
                  </Button>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const controlOf = (id: ChecklistItem): string => `checklist-${id}`;

/** The pressed button disappears when its item changes: the focus moves to the item's other control. */
function useKeptFocus({ entries }: Checklist): (id: ChecklistItem) => void {
  const [pressed, setPressed] = useState<{ id: ChecklistItem; state: string } | null>(null);
  const stateOf = (id: ChecklistItem) => entries.find((entry) => entry.id === id)?.state ?? "";
  const hasChanged = pressed !== null && stateOf(pressed.id) !== pressed.state;
  useEffect(() => {
    if (!hasChanged) return;
    document.getElementById(controlOf(pressed.id))?.focus();
    setPressed(null);
  }, [hasChanged, pressed]);
  return (id) => setPressed({ id, state: stateOf(id) });
}
