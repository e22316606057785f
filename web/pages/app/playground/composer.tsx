import { ArrowDown, ArrowUp, Square } from "lucide-react";
import { useEffect, useId, useState, type RefObject } from "react";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { privateText } from "./private-text.ts";

interface ComposerProps {
  running: boolean;
  /** The reader scrolled up: there is more below. */
  away: boolean;
  /** The settings contain an invalid value. */
  blocked: boolean;
  /** The message input, for moving the focus to it. */
  field: RefObject<HTMLTextAreaElement | null>;
  /** Whether there is an unsent draft. */
  onDraft: (hasDraft: boolean) => void;
  onToEnd: () => void;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** The next message. Enter sends, Shift + Enter starts a new line, Escape stops a running reply. */
export function Composer({ running, away, blocked, field, onDraft, onToEnd, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const hint = useId();
  const hasDraft = text.trim() !== "";
  useEffect(() => onDraft(hasDraft), [hasDraft, onDraft]);
  // After the change of page, which puts the focus on its content. On a touch screen the keyboard would cover the page.
  useEffect(() => {
    if (!matchMedia("(hover: hover)").matches) return;
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [field]);
  const ready = hasDraft && !running && !blocked;
  function send() {
    if (!ready) return;
    setText("");
    onSend(text);
    field.current?.focus();
  }
  // The button is about to be disabled: the focus moves before that.
  function stop() {
    onStop();
    field.current?.focus();
  }
  return (
    <form
      className="sticky bottom-0 -mx-1 bg-bg px-1 pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {away && (
        <div className="absolute inset-x-0 -top-11 flex justify-center">
          <IconButton
            label="Scroll to the end"
            className="border border-line bg-surface shadow-float"
            onClick={onToEnd}
          >
            <ArrowDown />
          </IconButton>
        </div>
      )}
      <div className="flex items-end gap-2 rounded-lg border border-edge bg-surface p-2 transition-colors focus-within:border-accent focus-within:outline-2 focus-within:outline-accent">
        <textarea
          {...privateText}
          ref={field}
          rows={1}
          value={text}
          aria-label="Message"
          aria-describedby={hint}
          placeholder="Message"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && running) onStop();
            // During IME composition, Enter belongs to the input method.
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
          className="field-sizing-content max-h-60 min-h-9 flex-1 resize-none bg-transparent px-2 py-1.5 text-base outline-none placeholder:text-muted"
        />
        {running ? (
          <Button variant="primary" icon={<Square className="fill-current" />} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" variant="primary" icon={<ArrowUp />} disabled={!ready}>
            Send
          </Button>
        )}
      </div>
      <p id={hint} className="mt-2 text-center text-xs text-muted">
        {blocked ? "Fix the settings first." : "Enter to send, Shift + Enter for a new line."}
      </p>
    </form>
  );
}
