import { Download } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, ButtonAnchor } from "../../../components/controls/button.tsx";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { ShownOnce } from "../../../components/overlays/one-time-link.tsx";
import { Callout } from "../../../components/states/callout.tsx";

/** New recovery codes, shown this once. */
export function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = `${codes.join("\n")}\n`;
  const file = useFile(text);
  return (
    <Dialog
      onClose={onClose}
      dismissable={false}
      title="Save your recovery codes"
      description="With one of them you can sign in when you lose your second factor. Each works once."
      footer={
        <>
          <ButtonAnchor href={file} download="sotto-recovery-codes.txt" icon={<Download />}>
            Download
          </ButtonAnchor>
          <Button variant="primary" onClick={onClose}>
            I saved them
          </Button>
        </>
      }
    >
      <ShownOnce>
        <div className="relative rounded-md border border-accent bg-accent-soft p-4">
          <ul aria-label="Recovery codes" className="grid gap-x-6 gap-y-1 font-mono text-sm sm:grid-cols-2">
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <div className="absolute top-2 right-2">
            <CopyButton text={text} label="Copy all" />
          </div>
        </div>
        <Callout tone="warn" title="Store them separately from your password">
          Only hashes are stored, so they cannot be shown again. Earlier codes no longer work.
        </Callout>
      </ShownOnce>
    </Dialog>
  );
}

/** An address in this page's memory. */
function useFile(text: string): string {
  const [address] = useState(() => URL.createObjectURL(new Blob([text], { type: "text/plain" })));
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return address;
}
