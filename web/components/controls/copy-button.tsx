import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

/** Copies a text and briefly confirms it, visibly and to screen readers. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_800);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <IconButton
        size="sm"
        label={copied ? "Copied" : label}
        className={className}
        onClick={() => void copyText(text).then(setCopied)}
      >
        {copied ? <Check className="text-good" /> : <Copy />}
      </IconButton>
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}

/** False if the browser denies clipboard access (a page over plain HTTP): the text can still be selected. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "fixed -top-96";
  const host = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body;
  host.append(area);
  area.select();
  // Deprecated, but the only way on a page served over plain HTTP, as in a home network.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
