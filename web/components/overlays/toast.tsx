/**
 * Short confirmations at the edge of the screen: `toast("Key revoked")`, from anywhere. They are announced,
 * disappear automatically and stay while the pointer or the focus is on them. Important messages belong on the page
 * instead.
 */
import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { cx } from "../../cx.ts";
import { IconButton } from "../controls/button.tsx";

interface Toast {
  id: number;
  text: string;
  tone: "neutral" | "bad";
}

const stayMs = 5_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
let held = false;
const listeners = new Set<() => void>();

export function toast(text: string, tone: Toast["tone"] = "neutral"): void {
  const id = ++lastId;
  change([...toasts.slice(-2), { id, text, tone }]);
  leaveLater(id);
}

/** Rendered once, at the root. */
export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      aria-live="polite"
      onPointerEnter={() => (held = true)}
      onPointerLeave={() => (held = false)}
      onFocus={() => (held = true)}
      onBlur={() => (held = false)}
      className="pointer-events-none fixed inset-x-3 bottom-3 z-60 flex flex-col items-center gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:items-end"
    >
      {shown.map((item) => (
        <div
          key={item.id}
          className="pointer-events-auto flex max-w-md animate-rise items-center gap-3 rounded-lg border border-line bg-surface py-1.5 pr-1.5 pl-4 text-sm shadow-float"
        >
          <span className={cx("min-w-0 wrap-anywhere", item.tone === "bad" ? "text-bad" : "text-ink")}>
            {item.text}
          </span>
          <IconButton label="Dismiss" size="sm" onClick={() => leave(item.id)}>
            <X />
          </IconButton>
        </div>
      ))}
    </div>
  );
}

function leaveLater(id: number): void {
  setTimeout(() => (held ? leaveLater(id) : leave(id)), stayMs);
}

function leave(id: number): void {
  if (toasts.length === 1) held = false;
  change(toasts.filter((item) => item.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
