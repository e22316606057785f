/** The button that opens the search, and the key for it: `/`, unless something is being typed. */
import { Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { cx } from "../../../cx.ts";

// The dialog and the index are loaded on first use.
const SearchDialog = lazy(() => import("./search-dialog.tsx"));

export function DocsSearch({ className }: { className?: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="/"
        data-docs-search
        onClick={() => setIsOpen(true)}
        className={cx(
          "flex h-9 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm text-muted hover:border-edge hover:text-ink",
          className,
        )}
      >
        <Search className="size-4" aria-hidden />
        <span className="flex-1 text-left">Search</span>
        <kbd className="chip max-lg:hidden" aria-hidden>
          /
        </kbd>
      </button>
      {isOpen && (
        <Suspense>
          <SearchDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Presses whichever of the buttons is on the screen. */
export function useSearchKey(): void {
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const { target } = event;
      if (target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null)
        return;
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return;
      const buttons = [...document.querySelectorAll<HTMLElement>("[data-docs-search]")];
      const shown = buttons.find((button) => button.offsetParent !== null);
      if (shown === undefined) return;
      event.preventDefault();
      shown.focus();
      shown.click();
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
}
