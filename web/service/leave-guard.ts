/**
 * Asks before leaving a page whose content exists nowhere else. There are three ways to leave: a link (`aroundNav`,
 * which the router calls for every navigation), the browser's Back and Forward (`popstate`), and leaving the site or
 * reloading (`beforeunload`, where browsers ask in their own words). Nothing of the content passes through here.
 */
import type { AroundNavHandler } from "wouter";

interface Guard {
  /** The address of the page that is guarded. */
  readonly path: string;
  ask(leave: () => void): void;
}

let guard: Guard | null = null;

/** Returns a function that lifts the guard. There is one at a time. */
export function raiseGuard(ask: Guard["ask"]): () => void {
  const mine: Guard = { path: location.pathname, ask };
  guard = mine;
  addEventListener("beforeunload", holdUnload);
  return () => {
    if (guard === mine) liftGuard();
  };
}

/** For navigation that must not be blocked: signing out erases the page's content. */
export function liftGuard(): void {
  guard = null;
  removeEventListener("beforeunload", holdUnload);
}

export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const isElsewhere = new URL(to, location.href).pathname !== guard?.path;
  // A redirect is not the user's choice to leave.
  if (guard === null || !isElsewhere || options?.replace === true) navigate(to, options);
  else guard.ask(() => leave(() => navigate(to, options)));
};

/** Must be called before the router starts to listen: an earlier listener can stop the event for later ones. */
export function holdHistory(): void {
  addEventListener("popstate", holdPopState, { capture: true });
}

/**
 * The browser has moved already and the router does not know yet: this puts the page's address back on top. From
 * there Back leads to where the reader wanted to go, in whichever direction that was.
 */
function holdPopState(event: PopStateEvent): void {
  if (guard === null || location.pathname === guard.path) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", guard.path);
  guard.ask(() => leave(() => history.back()));
}

function leave(go: () => void): void {
  liftGuard();
  go();
}

function holdUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
