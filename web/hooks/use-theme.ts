/**
 * The theme: system, light or dark. The choice is kept in the browser's storage, which holds nothing else
 * but whether single-key shortcuts are off (find/shortcuts.ts); public/theme.js applies it before the first paint.
 */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const listeners = new Set<() => void>();
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
let version = 0;
systemIsDark.addEventListener("change", tell);
// Paper is light.
matchMedia("print").addEventListener("change", tell);

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, currentTheme), setTheme];
}

/** Changes whenever the page's colours may have changed: for charts drawn by script. */
export function useThemeVersion(): number {
  return useSyncExternalStore(subscribe, () => version);
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function setTheme(theme: Theme): void {
  recolour(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  });
  try {
    if (theme === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // Storage is blocked: the choice lasts until the page is closed.
  }
  tell();
}

/** The whole page at once: elements with hover transitions would otherwise keep their old colours for a moment. */
function recolour(change: () => void): void {
  const { dataset } = document.documentElement;
  dataset["recolouring"] = "";
  change();
  // Reading a style makes the browser compute them all, without transitions.
  getComputedStyle(document.body).getPropertyValue("color");
  delete dataset["recolouring"];
}

function tell(): void {
  version += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
