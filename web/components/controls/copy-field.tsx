/** A secret or a one-time link, shown once, with a button to copy it. */
import { useId, useState } from "react";
import { Check, Copy } from "lucide-react";
import { cx } from "../../cx.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy-button.tsx";

export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  const [copied, setCopied] = useState(false);
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      <div className="flex flex-col gap-2 rounded-md border border-accent bg-accent-soft p-2 sm:flex-row sm:items-center">
        <code
          aria-labelledby={id}
          role="textbox"
          aria-readonly
          tabIndex={0}
          onFocus={(event) => getSelection()?.selectAllChildren(event.currentTarget)}
          // Written in groups, it is broken between them.
          className={cx(
            "min-w-0 flex-1 rounded-sm px-1.5 font-mono text-sm select-all",
            value.includes(" ") ? "wrap-anywhere" : "break-all",
          )}
        >
          {value}
        </code>
        <Button
          variant="primary"
          size="sm"
          icon={copied ? <Check /> : <Copy />}
          onClick={() => void copyText(value).then(setCopied)}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </div>
  );
}
