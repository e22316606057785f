import { Wrench } from "lucide-react";
import { useState } from "react";
import type { ToolCall } from "../../../../src/core/chat/request.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Textarea } from "../../../components/controls/field.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";
import type { CallResult } from "./conversation.ts";
import { indentJson } from "./indent-json.ts";
import { privateText } from "./private-text.ts";

interface CallsProps {
  calls: readonly ToolCall[];
  blocked: boolean;
  /** Null if they need no results: they are still being streamed, or already have them. */
  onAnswer: ((results: readonly CallResult[]) => void) | null;
}

/** The calls in a reply, and a form for their results: nothing is executed here. */
export function Calls({ calls, blocked, onAnswer }: CallsProps) {
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map());
  const results = calls.map(({ id, name }, place) => ({ callId: id, name, text: texts.get(place) ?? "" }));
  const cards = calls.map((call, place) => (
    <li key={place} className="flex flex-col gap-3">
      <CodeBlock
        title={call.name}
        icon={<Wrench aria-hidden />}
        language="json"
        code={indentJson(call.arguments)}
      />
      {onAnswer !== null && (
        <Field label={calls.length === 1 ? `Result of ${call.name}` : `Result ${place + 1}: ${call.name}`}>
          <Textarea
            {...privateText}
            rows={2}
            placeholder="What the function returns, as text or JSON"
            value={texts.get(place) ?? ""}
            onValue={(value) => setTexts(new Map(texts).set(place, value))}
            className="max-h-60 min-h-16 font-mono"
          />
        </Field>
      )}
    </li>
  ));
  const list = (
    <ol aria-label="Calls" className="flex flex-col gap-4">
      {cards}
    </ol>
  );
  if (onAnswer === null) return list;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked) onAnswer(results);
      }}
    >
      {list}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="text-sm text-muted">Waiting for the results of its calls</p>
        <Button type="submit" disabled={blocked}>
          Send results
        </Button>
      </div>
    </form>
  );
}
