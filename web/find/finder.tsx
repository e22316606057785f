/**
 * The palette and the help sheet, opened by keys or by the buttons in the shell, and what the palette does. The palette
 * comes with the shell: what is typed right after ⌘K has to be in it. The rest is loaded when it is first wanted.
 */
import { Search } from "lucide-react";
import { Component, createContext, Suspense, use, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { IconButton } from "../components/controls/button.tsx";
import { copyText } from "../components/controls/copy-button.tsx";
import { toast } from "../components/overlays/toast.tsx";
import { baseUrl } from "../base-url.ts";
import { useSignOut } from "../hooks/use-sign-out.ts";
import { useTheme } from "../hooks/use-theme.ts";
import { connectionFailure } from "../service/request.ts";
import { forgetFailedLoads, lazy } from "../lazy.tsx";
import type { Action, Task } from "./actions.tsx";
import { Keys, modifierKey } from "./keys.tsx";
import { Palette } from "./palette.tsx";
import type { PageLink } from "./places.tsx";
import { goTosAmong, useShortcuts } from "./shortcuts.ts";

const TaskDialog = lazy(() => import("./task-dialog.tsx"));
const HelpSheet = lazy(() => import("./help-sheet.tsx"));

const OpenContext = createContext<() => void>(() => undefined);

interface FinderProps {
  /** The pages that can be found. */
  links: readonly PageLink[];
  children: ReactNode;
}

export function Finder({ links, children }: FinderProps) {
  const [open, setOpen] = useState<"palette" | "help" | { task: Task } | null>(null);
  const [, setTheme] = useTheme();
  const signOut = useSignOut();
  const [, navigate] = useLocation();
  const find = () => setOpen("palette");
  const help = () => setOpen("help");
  const close = () => setOpen(null);
  const act = ({ does }: Action) => {
    if (does.type === "theme") setTheme(does.theme);
    else if (does.type === "sign-out") signOut();
    else if (does.type === "copy-base-url") {
      void copyText(baseUrl()).then((copied) =>
        copied ? toast("Base URL copied") : toast(`Could not copy. The base URL is ${baseUrl()}`, "bad"),
      );
    } else setOpen({ task: does });
  };
  const goTos = goTosAmong(links);
  useShortcuts({ goTos, onFind: find, onHelp: help, onGo: navigate });
  return (
    <OpenContext value={find}>
      {children}
      {open === "palette" && <Palette links={links} onClose={close} onHelp={help} onAct={act} />}
      <LoadFailure key={String(open === null)} onFailed={close}>
        <Suspense>
          {open === "help" && <HelpSheet goTos={goTos} onClose={close} />}
          {open !== null && typeof open === "object" && <TaskDialog task={open.task} onClose={close} />}
        </Suspense>
      </LoadFailure>
    </OpenContext>
  );
}

/** A dialog that could not be loaded leaves the page as it is. */
class LoadFailure extends Component<{ onFailed: () => void; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch() {
    forgetFailedLoads();
    toast(connectionFailure("It could not be loaded. Reload the page and try again."), "bad");
    this.props.onFailed();
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
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
