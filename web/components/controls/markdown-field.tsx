/** A Markdown editor with a preview. */
import { useState } from "react";
import { Button } from "./button.tsx";
import { Field, useFieldControl, Textarea } from "./field.tsx";
import { Markdown } from "../text/markdown.tsx";

interface MarkdownFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** In the request. */
  name: string;
  maxLength?: number;
}

export function MarkdownField({ label, name, value, onChange, maxLength }: MarkdownFieldProps) {
  const [preview, setPreview] = useState(false);
  return (
    <Field
      label={label}
      hint="Markdown. HTML is shown as text, images are not loaded."
      name={name}
      aside={
        <Button
          size="sm"
          variant="quiet"
          className="-my-1.5 -mr-2.5"
          aria-pressed={preview}
          onClick={() => setPreview(!preview)}
        >
          Preview
        </Button>
      }
    >
      {preview ? (
        <Preview label={label} text={value} />
      ) : (
        <Textarea value={value} maxLength={maxLength} onValue={onChange} className="max-h-80 min-h-40" />
      )}
    </Field>
  );
}

function Preview({ label, text }: { label: string; text: string }) {
  return (
    <div
      {...useFieldControl()}
      role="group"
      aria-label={`${label}, preview`}
      tabIndex={0}
      className="max-h-80 min-h-40 overflow-y-auto rounded-md border border-line bg-bg px-4 py-3"
    >
      {text.trim() === "" ? <p className="text-muted">Nothing to preview.</p> : <Markdown>{text}</Markdown>}
    </div>
  );
}
