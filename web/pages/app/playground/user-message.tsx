import { Pencil } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { Textarea } from "../../../components/controls/field.tsx";
import { privateText } from "./private-text.ts";

interface UserMessageProps {
  text: string;
  /** While a reply is being written. */
  locked: boolean;
  onEdit: (text: string) => void;
}

/** The user's message, as plain text. */
export function UserMessage({ text, locked, onEdit }: UserMessageProps) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null) {
    return (
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setDraft(null);
          onEdit(draft);
        }}
      >
        <Textarea
          {...privateText}
          aria-label="Edit message"
          autoFocus
          value={draft}
          onValue={setDraft}
          onKeyDown={(event) => {
            if (event.key === "Escape") setDraft(null);
          }}
          className="max-h-80"
        />
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto text-sm text-muted">Later messages are dropped.</span>
          <Button size="sm" onClick={() => setDraft(null)}>
            Cancel
          </Button>
          <Button size="sm" type="submit" variant="primary" disabled={locked || draft.trim() === ""}>
            Send
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className="group flex flex-col items-end gap-1">
      <span className="sr-only">You said:</span>
      <p dir="auto" className="max-w-[85%] rounded-lg bg-hover px-4 py-2.5 wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
      <div className="flex">
        <CopyButton text={text} label="Copy message" />
        <IconButton label="Edit message" size="sm" disabled={locked} onClick={() => setDraft(text)}>
          <Pencil />
        </IconButton>
      </div>
    </div>
  );
}
