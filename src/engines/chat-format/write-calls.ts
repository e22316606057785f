/** Earlier calls as the model would have written them: for templates that leave calls out, and for our own format. */
import { callsField, genericCallFields } from "./parts/generic-reply.js";
import type { CallSyntax, JsonCalls, NamedCalls, ReplySyntax, TaggedCalls } from "./reply-syntax.js";

export interface EarlierCall {
  name: string;
  /** The client's own text where it is no JSON object. */
  arguments: Readonly<Record<string, unknown>> | string;
}

/** Harmony is not one: its template shows calls, and channels are not part of a message's text. */
export type TextualSyntax = Exclude<ReplySyntax, { type: "harmony" }>;

export function callsText(syntax: TextualSyntax, calls: readonly EarlierCall[]): string {
  if (syntax.type === "generic" || syntax.calls === null) {
    const fields = { type: "json", ...genericCallFields, list: true } as const;
    return `{"${callsField}": ${jsonText(fields, calls)}}`;
  }
  const { open, close, groupOpen, groupClose, payload } = syntax.calls;
  if (payload.type === "json" && payload.list) return open + jsonText(payload, calls) + close;
  const each = calls.map((call) => open + callText(payload, call) + close);
  return groupOpen + each.join(groupOpen === "" ? "\n" : "") + groupClose;
}

function callText(payload: CallSyntax["payload"], call: EarlierCall): string {
  switch (payload.type) {
    case "json":
      return `\n${jsonText(payload, [call])}\n`;
    case "named":
      return namedText(payload, call);
    case "tagged":
      return taggedText(payload, call);
  }
}

function jsonText({ nameField, argumentsField, list }: JsonCalls, calls: readonly EarlierCall[]): string {
  const texts = calls.map(
    (call) =>
      `{"${nameField}": ${JSON.stringify(call.name)}, "${argumentsField}": ${JSON.stringify(call.arguments)}}`,
  );
  return list ? `[${texts.join(", ")}]` : texts.join("\n");
}

const namedText = ({ prefix, separator, suffix }: NamedCalls, call: EarlierCall): string =>
  prefix + call.name + separator + JSON.stringify(call.arguments) + suffix;

function taggedText(payload: TaggedCalls, call: EarlierCall): string {
  const { nameOpen, nameClose, keyOpen, keyClose, valueOpen, valueClose, end } = payload;
  const given = typeof call.arguments === "string" ? { arguments: call.arguments } : call.arguments;
  const parts = Object.entries(given).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const separator = valueOpen.trim() === "" ? "" : "\n";
    return `${keyOpen}${key}${keyClose}${separator}${valueOpen}${text}${valueClose}\n`;
  });
  const start = nameOpen === "" ? "" : "\n";
  return `${start}${nameOpen}${call.name}${nameClose.trimEnd()}\n${parts.join("")}${end}${end === "" ? "" : "\n"}`;
}
