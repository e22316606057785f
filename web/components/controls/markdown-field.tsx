/** The text of an announcement: a Markdown editor with a preview. */
import { useState } from "react";
import { longest } from "../../../src/core/bounds.js";
import { Button } from "./button.tsx";
import { Field, useFieldControl, Textarea } from "./field.tsx";
import { Markdown } from "../text/markdown.tsx";

interface MarkdownFieldProps {
  value: string;
  onChange: (text: string) => void;
}

export function MarkdownField({ value, onChange }: MarkdownFieldProps) {
  const [preview, setPreview] = useState(false);
  return (
    <Field
      label="Text"
      hint="Markdown. HTML is shown as text, images are not loaded."
      name="body"
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
        <Preview text={value} />
      ) : (
        <Textarea
          value={value}
          maxLength={longest.announcement}
          onValue={onChange}
          className="max-h-80 min-h-40"
        />
      )}
    </Field>
  );
}

function Preview({ text }: { text: string }) {
  return (
    <div
      {...useFieldControl()}
      role="group"
      aria-label="Text, preview"
      tabIndex={0}
      className="max-h-80 min-h-40 overflow-y-auto rounded-md border border-line bg-bg px-4 py-3"
    >
      {text.trim() === "" ? <p className="text-muted">Nothing to preview.</p> : <Markdown>{text}</Markdown>}
    </div>
  );
}
