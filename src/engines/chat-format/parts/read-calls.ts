/** What reads the calls of a family: by the type of its notation. */
import type { CallSyntax } from "../reply-syntax.js";
import { genericCallFields } from "./generic-reply.js";
import { peek, skipSpace } from "./input.js";
import { jsonCalls } from "./json-calls.js";
import type { CallReader } from "./marked-reply.js";
import { namedCall } from "./named-calls.js";
import type { Schema } from "./parameter-kinds.js";
import { taggedCall } from "./tagged-calls.js";

/** `tools`: the schemas of their arguments by their names. */
export function callReader(
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
