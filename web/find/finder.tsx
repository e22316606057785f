/**
 * The palette and the help sheet, opened by keys or by the buttons in the shell. Both are loaded when they are first
 * wanted; the few lines that listen for keys are here already.
 */
import { Search } from "lucide-react";
import { createContext, lazy, Suspense, use, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { IconButton } from "../components/controls/button.tsx";
import { Keys, modifierKey } from "./keys.tsx";
import type { PageLink } from "./places.tsx";
import { goTosAmong, useShortcuts } from "./shortcuts.ts";

const Palette = lazy(() => import("./palette.tsx"));
const HelpSheet = lazy(() => import("./help-sheet.tsx"));

const OpenContext = createContext<() => void>(() => undefined);

interface FinderProps {
  /** The pages that can be found. */
  links: readonly PageLink[];
  children: ReactNode;
}

export function Finder({ links, children }: FinderProps) {
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const [, navigate] = useLocation();
  const find = () => setOpen("palette");
  const help = () => setOpen("help");
  const close = () => setOpen(null);
  const goTos = goTosAmong(links);
  useShortcuts({ goTos, onFind: find, onHelp: help, onGo: navigate });
  return (
    <OpenContext value={find}>
      {children}
      <Suspense>
        {open === "palette" && <Palette links={links} onClose={close} onHelp={help} />}
        {open === "help" && <HelpSheet goTos={goTos} onClose={close} />}
      </Suspense>
    </OpenContext>
  );
}

/** In the sidebar, where it also teaches the shortcut. */
export function FindButton() {
  return (
    <button
      type="button"
      onClick={use(OpenContext)}
      aria-keyshortcuts="Control+K Meta+K"
      className="mb-3 hidden h-9 shrink-0 items-center gap-3 rounded-md border border-line bg-surface px-2.5 text-sm text-muted hover:border-edge hover:text-ink lg:flex"
    >
      <Search className="size-4" aria-hidden />
      <span className="flex-1 text-left">Find anything</span>
      <span aria-hidden>
        <Keys keys={[modifierKey, "K"]} />
      </span>
    </button>
  );
}

/** On a phone, beside the menu. */
export function FindIconButton() {
  return (
    <IconButton label="Find anything" onClick={use(OpenContext)}>
      <Search />
    </IconButton>
  );
}
