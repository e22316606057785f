/**
 * The format of gpt-oss: messages, each with a header that names its channel and whom it is for.
 *
 *     <|channel|>analysis<|message|>…<|end|>
 *     <|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>
 *
 * The prompt ends with `<|start|>assistant`, so a reply begins inside a header. `analysis` is reasoning, a message to
 * `functions.…` is a call, one to anybody else (built-in tools, which we do not offer) is reasoning, and everything
 * else is for the reader. What cannot be a header is a message without one.
 */
import { oneOf, skipSpace, upTo, type Input, type Reading } from "./input.js";
import { argumentsText } from "./named-calls.js";
import { TrimmedText, type Output } from "./output.js";

const [start, channel, message, constrain] = ["<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"];
const enders = ["<|end|>", "<|return|>", "<|call|>", start, channel];
const longestHeader = 400;

export function* harmonyReply(input: Input, output: Output, callsExpected: boolean): Reading {
  const messages = new Messages(output);
  let beginning = "";
  for (;;) {
    const { header, text } = yield* readHeader(input, beginning);
    const to = /(?:^|[\s>])to=([^\s<]*)/.exec(header)?.[1];
    const name = /^functions\.([\w.-]+)$/.exec(to ?? "")?.[1];
    let ender: string | null;
    if (name !== undefined && callsExpected) ender = yield* callMessage(input, output, name, messages);
    else if (to !== undefined || /<\|channel\|>\s*analysis/.test(header)) {
      output.beginReasoning();
      ender = yield* body(input, messages.paragraph("reasoning"));
      if (ender !== null) output.endReasoning(beginsNext(ender) ? ender.length : 0);
    } else ender = yield* body(input, messages.paragraph("text"), text);
    if (ender === null) return;
    beginning = ender === channel ? channel : "";
  }
}

/** Whether the marker that ended a message belongs to the one after it. */
const beginsNext = (ender: string): boolean => ender === start || ender === channel;

/** Up to the message itself. `text`: what was taken for a header and is none. */
function* readHeader(input: Input, beginning: string): Reading<{ header: string; text: string }> {
  const isFirst = input.position === 0;
  let header = beginning;
  for (;;) {
    const marker = yield* oneOf(input, [message, constrain, ...enders]);
    if (marker === message) return { header, text: "" };
    if (marker === channel || marker === constrain) header += marker;
    else if (marker !== null) header = "";
    else if (input.unread === "")
      return { header: "", text: isFirst && !header.includes(channel) ? header : "" };
    else {
      header += input.take(1);
      if (!canBeHeader(header)) return { header: "", text: header };
    }
  }
}

function canBeHeader(text: string): boolean {
  if (text.includes(channel)) return text.length <= longestHeader;
  const words = text.trim().split(/\s+/);
  return words.every(
    (word) => "assistant".startsWith(word) || "to=".startsWith(word) || word.startsWith("to="),
  );
}

/** The marker that ended it; null when the reply did. */
function* body(input: Input, text: TrimmedText, first = ""): Reading<string | null> {
  text.write(first);
  const ender = yield* upTo(input, enders, (part) => text.write(part));
  if (ender === null) text.keepSpace();
  else text.dropSpace();
  return ender;
}

function* callMessage(
  input: Input,
  output: Output,
  name: string,
  messages: Messages,
): Reading<string | null> {
  output.call(name);
  yield* skipSpace(input);
  const ender = yield* oneOf(input, enders);
  if (ender !== null) {
    output.write("arguments", "{}");
    return ender;
  }
  const isWhole = yield* argumentsText(input, output);
  return isWhole
    ? yield* upTo(input, enders, () => undefined)
    : yield* body(input, messages.paragraph("text"));
}

/** Messages of one kind are paragraphs of one text. */
class Messages {
  readonly #begun = new Set<string>();

  constructor(private readonly output: Output) {}

  paragraph(kind: "text" | "reasoning"): TrimmedText {
    let separator = this.#begun.has(kind) ? "\n\n" : "";
    return new TrimmedText((part, waiting) => {
      this.#begun.add(kind);
      this.output.write(kind, separator + part, waiting);
      separator = "";
    }, true);
  }
}
