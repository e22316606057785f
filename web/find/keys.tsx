/** Keys to press together or, where it says so, one after the other. */
export function Keys({ keys, then = false }: { keys: readonly string[]; then?: boolean }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {keys.map((key, at) => (
        <span key={key} className="inline-flex items-center gap-1">
          {then && at > 0 && <span className="text-muted">then</span>}
          <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs text-ink">
            {key}
          </kbd>
        </span>
      ))}
    </span>
  );
}

/** As labelled on the reader's keyboard. */
export const modifierKey = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
