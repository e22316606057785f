import { useState } from "react";
import { Field, Select } from "../../../components/controls/field.tsx";
import { CodeTabs } from "../../../components/text/code-block.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { baseUrl } from "../../../base-url.ts";
import type { Turn } from "./conversation.ts";
import { codeApis, samplesOf } from "./code/code-apis.ts";
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
  const example = { role: "user" as const, content: "Say hello, quietly." };
  const request = { ...rest, messages: asked.length === 0 ? [...messages, example] : messages };
  const [chosen, setChosen] = useState("");
  const api = codeApis.find(({ id }) => id === chosen) ?? codeApis[0];
  const { missing } = api.request(request);
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title="View code"
      description={
        <>
          The same request as code. It reads your key from{" "}
          <code className="font-mono text-sm text-ink">SOTTO_API_KEY</code>.
        </>
      }
    >
      <Field
        label="API"
        className="mb-4"
        hint={
          missing.length === 0
            ? undefined
            : `Left out, since this API has no such field: ${missing.join(", ")}.`
        }
      >
        <Select
          value={api.id}
          options={codeApis.map(({ id, label }) => ({ value: id, label }))}
          onValue={setChosen}
        />
      </Field>
      <CodeTabs
        samples={samplesOf(api, baseUrl(), request)}
        className="[&_[role=group]]:max-h-[50vh] [&_[role=group]]:overflow-y-auto"
      />
    </Dialog>
  );
}
