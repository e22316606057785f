/** The chunks of a streamed reply. */
import type { FinishReason, ReplyLogprob, ReplyEvent, Usage } from "../../core/chat/reply.js";
import type { ChatRequest, ServiceTier } from "../../core/chat/request.js";
import type { ReplyHead, StreamWriter } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { wireCall, wireLogprobs, wireUsage, type WireUsage } from "./response.js";

interface Delta {
  role?: "assistant";
  content?: string | null;
  reasoning_content?: string;
  tool_calls?: [CallDelta];
}

/** Id, type and name come once, with the first delta of a call: some clients join what is repeated. */
type CallDelta =
  ({ index: number } & ReturnType<typeof wireCall>) | { index: number; function: { arguments: string } };

interface ChunkChoice {
  index: number;
  delta: Delta;
  logprobs: ReturnType<typeof wireLogprobs>;
  finish_reason: FinishReason | null;
}

export interface ChatCompletionChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: [ChunkChoice] | [];
  /** Only where the client asked for it: null on every chunk but the last. */
  usage?: WireUsage | null;
  /** Only where the client asked for one. */
  service_tier?: ServiceTier;
}

type ChunkOptions = Pick<ChatRequest, "includeUsage" | "serviceTier">;

export function chunkWriter(head: Readonly<ReplyHead>, options: ChunkOptions): StreamWriter {
  const { includeUsage } = options;
  const make = chunkMaker(head, options);
  const fragments = new FragmentTexts((choice) => make.text(choice, ""));
  return {
    write: (event) => {
      // Nearly all of a stream is these.
      const isFragment = event.type === "text" && event.text !== "" && event.logprobs === undefined;
      if (isFragment && make.hasBegun(event.choice)) {
        return [{ data: fragments.textOf(event.choice, event.text) }];
      }
      return chunksOf(event, make, includeUsage).map((data) => ({ data }));
    },
    end: () => [{ data: "[DONE]" }],
    fail: (error) => [{ data: errorBody(error) }],
  };
}

const emptyContent = '"content":""';

/** Chunks of text differ in their text alone: each choice's is serialized once, and the text put in its place. */
class FragmentTexts {
  readonly #around: { before: string; after: string }[] = [];

  constructor(private readonly emptyChunk: (choice: number) => ChatCompletionChunk) {}

  textOf(choice: number, text: string): string {
    const { before, after } = (this.#around[choice] ??= this.#aroundText(choice));
    return before + JSON.stringify(text) + after;
  }

  #aroundText(choice: number): { before: string; after: string } {
    const json = JSON.stringify(this.emptyChunk(choice));
    const end = json.lastIndexOf(emptyContent) + emptyContent.length;
    return { before: json.slice(0, end - 2), after: json.slice(end) };
  }
}

function chunksOf(
  event: ReplyEvent,
  make: ReturnType<typeof chunkMaker>,
  includeUsage: boolean,
): ChatCompletionChunk[] {
  switch (event.type) {
    case "text":
      if (event.text === "" && event.logprobs === undefined) return [];
      return [make.text(event.choice, event.text, event.logprobs)];
    case "reasoning":
      return event.text === "" ? [] : [make.reasoning(event.choice, event.text)];
    case "call":
      return [make.call(event)];
    case "arguments":
      return event.text === "" ? [] : [make.arguments(event)];
    case "finished": {
      const finish = make.finish(event.choice, event.finishReason);
      return make.hasBegun(event.choice) ? [finish] : [make.text(event.choice, ""), finish];
    }
    case "done":
      return includeUsage ? [make.usage(event.usage)] : [];
  }
}

type EventOf<Type extends ReplyEvent["type"]> = Extract<ReplyEvent, { type: Type }>;

/** Creates the chunks of one stream. */
function chunkMaker(head: Readonly<ReplyHead>, { includeUsage, serviceTier }: ChunkOptions) {
  const chunk = (choices: ChatCompletionChunk["choices"]): ChatCompletionChunk => ({
    id: head.id,
    object: "chat.completion.chunk",
    created: head.created,
    model: head.model,
    choices,
    ...(includeUsage ? { usage: null } : {}),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  });
  const begun = new Set<number>();
  /** The first of each choice carries the role: the official SDK's `.stream()` helper throws without it. */
  const part = (index: number, delta: Delta, logprobs: readonly ReplyLogprob[] | null = null) => {
    const isFirst = !begun.has(index);
    begun.add(index);
    const whole: Delta = isFirst ? { role: "assistant", ...delta } : delta;
    return chunk([{ index, delta: whole, logprobs: wireLogprobs(logprobs), finish_reason: null }]);
  };
  return {
    text: (index: number, content: string, logprobs?: readonly ReplyLogprob[]) =>
      part(index, { content }, logprobs),
    reasoning: (index: number, text: string) => part(index, { reasoning_content: text }),
    call: ({ choice, call: index, id, name }: EventOf<"call">) => {
      const call = { index, ...wireCall({ id, name, arguments: "" }) };
      return part(choice, begun.has(choice) ? { tool_calls: [call] } : { content: null, tool_calls: [call] });
    },
    arguments: ({ choice, call: index, text }: EventOf<"arguments">) =>
      part(choice, { tool_calls: [{ index, function: { arguments: text } }] }),
    hasBegun: (index: number) => begun.has(index),
    finish: (index: number, reason: FinishReason) =>
      chunk([{ index, delta: {}, logprobs: null, finish_reason: reason }]),
    usage: (tokens: Usage): ChatCompletionChunk => ({ ...chunk([]), usage: wireUsage(tokens) }),
  };
}
