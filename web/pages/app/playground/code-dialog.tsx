import { CodeTabs } from "../../../components/text/code-block.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { baseUrl } from "../../../snippets.ts";
import type { Turn } from "./conversation.ts";
import { curlCode, nodeCode, pythonCode } from "./request-code.ts";
import { requestOf, type Settings } from "./settings.ts";

interface CodeDialogProps {
  settings: Settings;
  turns: readonly Turn[];
  onClose: () => void;
}

/** The request behind the last reply, or the start of the next one, as a program would send it. */
export function CodeDialog({ settings, turns, onClose }: CodeDialogProps) {
  const asked = turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns;
  const { messages, ...rest } = requestOf(settings, asked);
  const example = { role: "user", content: "Say hello, quietly." };
  const request = { ...rest, messages: asked.length === 0 ? [...messages, example] : messages };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="View code"
      description={
        <>
          The same request as code. It reads your key from{" "}
          <code className="font-mono text-sm text-ink">SOTTO_API_KEY</code>.
        </>
      }
    >
      <CodeTabs
        label="Language"
        samples={[
          { id: "curl", label: "curl", language: "bash", code: curlCode(baseUrl(), request) },
          { id: "python", label: "Python", language: "python", code: pythonCode(baseUrl(), request) },
          { id: "node", label: "Node", language: "javascript", code: nodeCode(baseUrl(), request) },
        ]}
        className="[&_[role=group]]:max-h-[50vh] [&_[role=group]]:overflow-y-auto"
      />
    </Dialog>
  );
}
