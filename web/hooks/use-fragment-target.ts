import { useEffect } from "react";
import { useLocationProperty, usePathname } from "wouter/use-browser-location";

/** For a page on a slow line; who has waited longer has begun to read elsewhere. */
const longestWaitMs = 10_000;

/**
 * Goes to the part of the page that the address's fragment names. A browser does so by itself for what is there
 * when it looks; these pages arrive in pieces, so the part is waited for, until the reader scrolls on their own.
 */
export function useFragmentTarget(): void {
  const path = usePathname();
  const fragment = useLocationProperty(() => location.hash);
  useEffect(() => {
    const id = idOf(fragment);
    return id === null ? undefined : whenThere(id, (part) => part.scrollIntoView());
  }, [path, fragment]);
}

/** Null for none, and for what is no name of a part: a token, a broken escape. */
function idOf(fragment: string): string | null {
  if (fragment.length < 2 || fragment.includes("=")) return null;
  try {
    return decodeURIComponent(fragment.slice(1));
  } catch {
    return null;
  }
}

/** Returns what ends the wait. */
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
