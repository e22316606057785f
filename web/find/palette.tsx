/**
 * Finds pages, keys, accounts and documentation by a few letters, and does things. A combobox with a listbox: the focus
 * stays in the input, the arrows move through the results, Enter opens one. It is a modal dialog around both.
 */
import { Keyboard, Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { ModalBackdrop } from "../components/overlays/modal-backdrop.tsx";
import { cx } from "../cx.ts";
import { plural } from "../units.ts";
import { Keys } from "./keys.tsx";
import type { Action } from "./actions.tsx";
import type { PageLink, Result } from "./places.tsx";
import { useFound } from "./use-found.tsx";
import { verbatim } from "../components/controls/field.tsx";

interface PaletteProps {
  links: readonly PageLink[];
  onClose: () => void;
  onHelp: () => void;
  /** Once the palette is closed and the focus is back where it was. */
  onAct: (action: Action) => void;
}

export function Palette({ links, onClose, onHelp, onAct }: PaletteProps) {
  const [query, setQuery] = useState("");
  const [marked, setMarked] = useState(0);
  const [, navigate] = useLocation();
  const { groups, searching, failed } = useFound(query, links);
  const places = groups.flatMap((group) => group.results);
  const at = Math.min(marked, places.length - 1);
  const current = places[at];
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const chosen = useRef<Action | null>(null);
  const id = useId();

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current?.id]);

  function open(result: Result) {
    onClose();
    if ("does" in result) {
      chosen.current = result;
      return;
    }
    // To the page rather than back to where the palette was opened.
    opener.current = null;
    navigate(result.href);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (places.length > 0) setMarked((at + step + places.length) % places.length);
    }
    if (event.key === "Enter" && current !== undefined) {
      event.preventDefault();
      if ((event.metaKey || event.ctrlKey) && "href" in current)
        window.open(current.href, "_blank", "noopener");
      else open(current);
    }
  }
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <ModalBackdrop className="flex animate-rise flex-col items-center p-3 sm:p-6 sm:pt-[12vh]">
          <Radix.Content
            aria-modal
            aria-describedby={undefined}
            onOpenAutoFocus={() => (opener.current = document.activeElement)}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              const { current: before } = opener;
              const back = before instanceof HTMLElement && before.isConnected && before !== document.body;
              (back ? before : document.getElementById("main"))?.focus({ preventScroll: true });
              if (chosen.current !== null) onAct(chosen.current);
            }}
            className="flex max-h-full min-h-0 w-full max-w-xl flex-col overflow-clip rounded-lg border border-line bg-surface shadow-float outline-none sm:max-h-[70vh]"
          >
            <Radix.Title className="sr-only">Find anything</Radix.Title>
            <div className="flex items-center gap-3 border-b border-line px-4 focus-within:border-accent">
              <Search className="size-4.5 shrink-0 text-muted" aria-hidden />
              <input
                role="combobox"
                aria-label="Find anything"
                aria-expanded={places.length > 0}
                aria-controls={`${id}-list`}
                aria-activedescendant={current === undefined ? undefined : `${id}-${at}`}
                aria-autocomplete="list"
                {...verbatim}
                placeholder="Find a page, a key or an action…"
                maxLength={200}
                value={query}
                onChange={(event) => {
                  setQuery(event.target.value);
                  setMarked(0);
                }}
                onKeyDown={onKeyDown}
                className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted"
              />
              <Radix.Close className="rounded-sm px-1.5 py-1 text-sm text-muted hover:text-ink">
                Close
              </Radix.Close>
            </div>
            <div
              ref={list}
              id={`${id}-list`}
              role="listbox"
              aria-label="Results"
              className={cx("min-h-0 overflow-y-auto overscroll-contain px-2", places.length > 0 && "py-2")}
            >
              {groups.map((group) => (
                <div key={group.label} role="group" aria-label={group.label}>
                  <p aria-hidden className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
                    {group.label}
                  </p>
                  {group.results.map((place) => {
                    const index = places.indexOf(place);
                    return (
                      <Option
                        key={place.id}
                        id={`${id}-${index}`}
                        place={place}
                        marked={index === at}
                        onMark={() => setMarked(index)}
                        onOpen={() => open(place)}
                      />
                    );
                  })}
                </div>
              ))}
            </div>
            {places.length === 0 && !searching && (
              <p className="px-4 py-8 text-center text-muted">Nothing found for “{query.trim()}”.</p>
            )}
            {searching && <p className="animate-breathe px-4 py-3 text-sm text-muted">Searching…</p>}
            {failed !== null && <p className="px-4 py-3 text-sm text-bad">{failed} could not be searched.</p>}
            <p role="status" className="sr-only">
              {searching ? "" : plural(places.length, "result")}
            </p>
            <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-2 text-sm text-muted">
              <span className="hidden items-center gap-3 sm:flex">
                <span>
                  <Keys keys={["↑", "↓"]} /> to move
                </span>
                <span>
                  <Keys keys={["Enter"]} /> to open
                </span>
              </span>
              <button
                type="button"
                onClick={onHelp}
                className="-mx-1.5 inline-flex items-center gap-2 rounded-sm px-1.5 py-1 hover:text-ink"
              >
                <Keyboard className="size-4" aria-hidden />
                Keyboard shortcuts
              </button>
            </div>
          </Radix.Content>
        </ModalBackdrop>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface OptionProps {
  id: string;
  place: Result;
  marked: boolean;
  onMark: () => void;
  onOpen: () => void;
}

function Option({ id, place, marked, onMark, onOpen }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={marked}
      // Only on movement: a list that changes under a resting pointer keeps its selection.
      onPointerMove={marked ? undefined : onMark}
      onClick={onOpen}
      className={cx(
        "flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 py-2 text-sm [&>svg]:size-4 [&>svg]:shrink-0",
        marked ? "bg-accent-soft text-accent" : "text-ink",
      )}
    >
      {place.icon}
      <span className="min-w-0 flex-1 truncate font-medium">{place.title}</span>
      <span className="max-w-[45%] shrink-0 truncate text-muted">{place.note}</span>
    </div>
  );
}
