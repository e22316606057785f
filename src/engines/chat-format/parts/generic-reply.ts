/**
 * Our own format: one JSON object, `{"reply": "…"}` or `{"calls": [{"name": …, "arguments": {…}}, …]}`. A grammar
 * holds the reply to it; without one, what is something else is text as it stands.
 */
import type { ReasoningSyntax } from "../reply-syntax.js";
import { jsonCalls } from "./json-calls.js";
import { peek, skipSpace, upTo, type Input, type Reading } from "./input.js";
import { jsonString, punctuation, shortString } from "./json-value.js";
import { markedReply, type CallReader } from "./marked-reply.js";
import type { Output } from "./output.js";

export const replyField = "reply";
export const callsField = "calls";
export const genericCallFields = { nameField: "name", argumentsField: "arguments" } as const;

export function* genericReply(
  input: Input,
  output: Output,
  options: { reasoning: ReasoningSyntax | null; reasoningOpen: boolean },
): Reading {
  yield* markedReply(input, output, {
    ...options,
    calls: { opens: [], around: [], bare: ["{"], read: wholeReply },
    dropped: [],
  });
}

/** Nothing comes after it, so what does is dropped: the object was the reply. */
const wholeReply: CallReader = function* (input, output) {
  input.record();
  const isReply = yield* replyObject(input, output);
  if (isReply) yield* upTo(input, [], () => undefined);
  return isReply;
};

function* replyObject(input: Input, output: Output): Reading<boolean> {
  if (!(yield* punctuation(input, "{"))) return false;
  const field = yield* shortString(input, Math.max(replyField.length, callsField.length));
  if (field !== replyField && field !== callsField) return false;
  if (!(yield* punctuation(input, ":"))) return false;
  const first = yield* peek(input);
  if (field === callsField) return first === "[" && (yield* jsonCalls(input, output, genericCallFields));
  if (first !== '"') return false;
  input.stopRecording();
  yield* jsonString(input, (text) => output.write("text", text));
  yield* skipSpace(input);
  return true;
}
