/** Search in the documentation: type, arrows choose, Enter opens. All of it happens in the browser. */
import parts from "virtual:docs-index";
import { useId, useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { Input, unaided } from "../../../components/controls/field.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { cx } from "../../../cx.ts";
import { search, type Hit } from "./search.ts";

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const list = useId();
  const hits = search(parts, query);
  const current = hits[Math.min(chosen, hits.length - 1)];
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || hits.length === 0) return;
    event.preventDefault();
    const next = (Math.min(chosen, hits.length - 1) + step + hits.length) % hits.length;
    setChosen(next);
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    navigate(hit.address);
  };
  return (
    <Dialog onClose={onClose} title="Search the documentation">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          open(current);
        }}
      >
        <Input
          type="search"
          role="combobox"
          aria-label="Search the documentation"
          aria-expanded={hits.length > 0}
          aria-controls={list}
          aria-activedescendant={current === undefined ? undefined : `${list}-${hits.indexOf(current)}`}
          aria-autocomplete="list"
          {...unaided}
          placeholder="max_tokens, Retry-After, tools …"
          value={query}
          onKeyDown={move}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
        />
      </form>
      <p role="status" className={cx("mt-3 text-sm text-muted", hits.length > 0 && "sr-only")}>
        {hits.length > 0
          ? `${hits.length} found`
          : query.trim() === ""
            ? "Pages, endpoints, parameters and error codes."
            : "Nothing found."}
      </p>
      <ul
        id={list}
        role="listbox"
        aria-label="Results"
        hidden={hits.length === 0}
        className="-mx-2 mt-3 max-h-[50vh] overflow-y-auto"
      >
        {hits.map((hit, position) => (
          <Option
            key={hit.address}
            id={`${list}-${position}`}
            hit={hit}
            isChosen={hit === current}
            onOpen={() => open(hit)}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface OptionProps {
  id: string;
  hit: Hit;
  isChosen: boolean;
  onOpen: () => void;
}

/** Without a link inside: the focus stays in the field, and screen readers read an option as one text. */
function Option({ id, hit, isChosen, onOpen }: OptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={onOpen}
      className={cx("cursor-pointer rounded-md px-2 py-2 hover:bg-hover", isChosen && "bg-accent-soft")}
    >
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium wrap-anywhere">{hit.heading}</span>
        {hit.heading !== hit.page && <span className="text-sm text-muted">{hit.page}</span>}
      </span>
      <span className="block truncate text-sm text-muted">{hit.excerpt}</span>
    </li>
  );
}
