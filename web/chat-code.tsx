/** The first request in every language, with a switch for how the reply is read. */
import { useState } from "react";
import type { ChatModelId } from "../src/core/models.js";
import { CodeTabs } from "./components/text/code-block.tsx";
import { chatSamples } from "./snippets.ts";

interface ChatCodeProps {
  /** Put into the code; without it the code reads it from the environment. */
  secret?: string | undefined;
  model?: ChatModelId;
  /** The switch's initial state. */
  stream?: boolean;
}

export function ChatCode({ secret, model, stream: atFirst = false }: ChatCodeProps) {
  const [stream, setStream] = useState(atFirst);
  return (
    <CodeTabs
      samples={chatSamples({
        stream,
        ...(secret === undefined ? {} : { key: secret }),
        ...(model === undefined ? {} : { model }),
      })}
      aside={
        <label className="flex h-9 shrink-0 cursor-pointer items-center gap-2 px-2 text-sm text-muted hover:text-ink">
          <input
            type="checkbox"
            checked={stream}
            onChange={(event) => setStream(event.target.checked)}
            className="size-4 accent-accent"
          />
          Stream
        </label>
      }
    />
  );
}
