/**
 * Chooses one of many by typing a part of it. A combobox with a listbox: the focus stays in the input, the arrows move
 * through the options, Enter chooses, Escape and leaving keep what was chosen.
 */
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { cx } from "../../cx.ts";
import { bestMatches } from "../../find/match.ts";
import { plural } from "../../units.ts";
import { controlLook, verbatim } from "./field.tsx";

interface ComboboxProps {
  /** Read aloud: "Key". */
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly { value: string; label: string }[];
  className?: string;
}

/** More than that nobody reads; a few letters bring up the others. */
const mostShown = 50;

export function Combobox({ label, value, onChange, options, className }: ComboboxProps) {
  // Null while it is closed and shows what is chosen.
  const [typed, setTyped] = useState<string | null>(null);
  const [marked, setMarked] = useState(0);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const open = typed !== null;
  const found = open
    ? bestMatches(
        options.map((option) => ({ ...option, title: option.label, context: option.value })),
        typed,
        options.length,
      )
    : [];
  const shown = found.slice(0, mostShown);
  const at = Math.min(marked, shown.length - 1);
  const chosen = options.find((option) => option.value === value)?.label ?? "";

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, open]);

  function show() {
    if (open) return;
    setTyped("");
    setMarked(
      Math.max(
        0,
        options.slice(0, mostShown).findIndex((option) => option.value === value),
      ),
    );
  }
  const close = () => setTyped(null);
  function choose(next: string) {
    close();
    if (next !== value) onChange(next);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (!open) show();
      else if (shown.length > 0) setMarked((at + step + shown.length) % shown.length);
    }
    if (event.key === "Enter" && open) {
      event.preventDefault();
      const option = shown[at];
      if (option !== undefined) choose(option.value);
    }
    if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    }
  }
  return (
    <div className={cx("relative", className)}>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[at] === undefined ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        {...verbatim}
        maxLength={200}
        value={typed ?? chosen}
        placeholder={chosen}
        onClick={show}
        onBlur={close}
        onChange={(event) => {
          setTyped(event.target.value);
          setMarked(0);
        }}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
        className={cx(controlLook, "h-9 truncate pr-9 text-sm")}
      />
      <ChevronDown
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
        aria-hidden
      />
      {open && (
        <div className="absolute top-full left-0 z-30 mt-1.5 w-full min-w-64 animate-rise rounded-lg border border-line bg-surface shadow-float">
          <ul
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label={label}
            // The focus stays in the input, which would otherwise close the list before the click.
            onPointerDown={(event) => event.preventDefault()}
            className="max-h-72 overflow-y-auto overscroll-contain p-1.5"
          >
            {shown.map((option, index) => (
              <li
                key={option.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                onPointerMove={index === at ? undefined : () => setMarked(index)}
                onClick={() => choose(option.value)}
                className={cx(
                  "cursor-pointer rounded-md px-2.5 py-2 text-sm wrap-anywhere",
                  index === at ? "bg-accent-soft text-accent" : "text-ink",
                )}
              >
                {option.label}
              </li>
            ))}
          </ul>
          {found.length > shown.length && (
            <p className="border-t border-line px-4 py-2 text-sm text-muted">
              {plural(found.length - shown.length, "more", "more")}: type to narrow them down.
            </p>
          )}
          {shown.length === 0 && <p className="px-4 pb-3 text-sm text-muted">Nothing found.</p>}
        </div>
      )}
      <span role="status" className="sr-only">
        {open ? plural(found.length, "result") : ""}
      </span>
    </div>
  );
}
