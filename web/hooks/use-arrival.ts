import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useLocationProperty, usePathname } from "wouter/use-browser-location";

/**
 * After navigation: scrolls to the top and moves the focus to the page's content, so that keyboard and screen reader
 * continue there as after a full load. An address with a fragment scrolls to that part instead.
 */
export function useArrival(): void {
  const [path] = useLocation();
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    if (location.hash !== "") return;
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
}

/** Long enough for a slow connection; after that the reader has started to read elsewhere. */
const longestWaitMs = 10_000;

/**
 * Scrolls to the part of the page that the fragment names. Browsers do that only for elements present when the page
 * loads; these pages load in pieces, so this waits for the element, until the reader scrolls.
 */
export function useFragmentTarget(): void {
  const path = usePathname();
  const fragment = useLocationProperty(() => location.hash);
  useEffect(() => {
    const id = idOf(fragment);
    return id === null ? undefined : whenThere(id, (part) => part.scrollIntoView());
  }, [path, fragment]);
}

/** Null if there is none, or if it is not an id: a token, a broken escape. */
function idOf(fragment: string): string | null {
  if (fragment.length < 2 || fragment.includes("=")) return null;
  try {
    return decodeURIComponent(fragment.slice(1));
  } catch {
    return null;
  }
}

/** Returns a function that stops waiting. */
function whenThere(id: string, visit: (part: HTMLElement) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const look = () => {
    const part = document.getElementById(id);
    if (part === null || signal.aborted) return;
    ending.abort();
    visit(part);
  };
  const watcher = new MutationObserver(look);
  const timer = setTimeout(() => ending.abort(), longestWaitMs);
  signal.addEventListener("abort", () => {
    watcher.disconnect();
    clearTimeout(timer);
  });
  for (const sign of ["wheel", "touchmove", "keydown"]) {
    addEventListener(sign, () => ending.abort(), { passive: true, signal });
  }
  watcher.observe(document.body, { childList: true, subtree: true });
  look();
  return () => ending.abort();
}
