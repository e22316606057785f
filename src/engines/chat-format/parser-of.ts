/** The parser for a reply in a family's format. */
import { genericCallFields, genericReply } from "./parts/generic-reply.js";
import { harmonyReply } from "./parts/harmony-reply.js";
import { Input, peek, skipSpace, type Reading } from "./parts/input.js";
import { jsonCalls } from "./parts/json-calls.js";
import { markedReply, markersOf, type CallReader } from "./parts/marked-reply.js";
import { namedCall } from "./parts/named-calls.js";
import { Output } from "./parts/output.js";
import type { Schema } from "./parts/parameter-kinds.js";
import { taggedCall } from "./parts/tagged-calls.js";
import type { StatefulParser } from "./reply-events.js";
import type { CallSyntax, ReplySyntax } from "./reply-syntax.js";

export interface ReplyTool {
  name: string;
  parameters?: Schema | undefined;
}

export interface ParserOptions {
  tools: readonly ReplyTool[];
  /** Whether the request has tools that may be called. If not, markers of calls are text like any other. */
  callsExpected: boolean;
  /** Whether the prompt ended with the opening marker of reasoning, so that the reply begins inside it. */
  reasoningOpen: boolean;
}

export function replyParser(syntax: ReplySyntax, options: ParserOptions): StatefulParser {
  const input = new Input();
  const output = new Output(input);
  const reading = readingOf(syntax, options, input, output);
  // Up to where it needs text: whether the reply begins within reasoning is known then.
  reading.next();
  return {
    get state() {
      return output.state;
    },
    push(fragment) {
      input.push(fragment);
      reading.next();
      return output.take(false);
    },
    flush() {
      input.end();
      reading.next();
      return output.take(true);
    },
  };
}

function readingOf(syntax: ReplySyntax, options: ParserOptions, input: Input, output: Output): Reading {
  const { callsExpected, reasoningOpen } = options;
  switch (syntax.type) {
    case "harmony":
      return harmonyReply(input, output, callsExpected);
    case "generic":
      if (callsExpected) return genericReply(input, output, { ...syntax, reasoningOpen });
      return markedReply(input, output, { ...syntax, reasoningOpen, calls: null, dropped: [] });
    case "marked": {
      const { reasoning, dropped } = syntax;
      const calls = callsExpected ? syntax.calls : null;
      const toolsByName = new Map(options.tools.map(({ name, parameters }) => [name, parameters]));
      const markers = calls === null ? null : markersOf(calls, callReader(calls, toolsByName));
      return markedReply(input, output, { reasoning, reasoningOpen, calls: markers, dropped });
    }
  }
}

/** What reads the calls of a family: by the type of its notation. `tools`: the schemas of their arguments by their names. */
function callReader(
  { open, close, payload }: CallSyntax,
  tools: ReadonlyMap<string, Schema | undefined>,
): CallReader {
  switch (payload.type) {
    case "json": {
      // Without a marker it is a call only if it looks like one of ours.
      const options = open === "" ? { ...payload, accepts: (name: string) => tools.has(name) } : payload;
      return (input, output) => jsonCalls(input, output, options);
    }
    case "named":
      return (input, output) => namedCall(input, output, payload);
    case "tagged":
      return function* (input, output, marker) {
        input.record();
        yield* skipSpace(input);
        // As other families do it, whose data these models have seen.
        if (marker === open && (yield* peek(input)) === "{")
          return yield* jsonCalls(input, output, genericCallFields);
        return yield* taggedCall(input, output, {
          payload,
          close,
          tools,
          nameIsNext: marker === payload.nameOpen && marker !== open,
        });
      };
  }
}
