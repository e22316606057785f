/**
 * What transcripts of replies consist of, and those of the format that most families share.
 */
import type { ReplyTool } from "./parser-of.js";

export interface Transcript {
  name: string;
  raw: string;
  reasoningOpen?: boolean;
  /** Kind and text of each event, neighbours of one kind joined. */
  events: readonly (readonly [type: "text" | "reasoning" | "call" | "arguments", text: string])[];
}

export const tools: readonly ReplyTool[] = [
  {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
  {
    name: "save-note",
    parameters: {
      type: "object",
      properties: { text: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    },
  },
];

export const paris = ["arguments", '{"city": "Paris", "days": 3}'] as const;
export const weather = ["call", "get_weather"] as const;
export const note = ["call", "save-note"] as const;
/** Quotes, braces, escapes and characters of every length; `CLOSE` becomes what ends a call of the family. */
const tricky = String.raw`{"text": "a \"b\" {c} ]} \\ \n é 語 😀 \ud83d\ude00 CLOSE", "tags": ["{", "}"]}`;
export const trickyWith = (close: string): string => tricky.replace("CLOSE", close);
export const noteWith = (close: string) => [note, ["arguments", trickyWith(close)]] as const;

export const hermesCalls: Transcript[] = [
  {
    name: "text, then a call",
    raw: 'Let me look.\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>',
    events: [["text", "Let me look."], weather, paris],
  },
  {
    name: "two calls",
    raw:
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>\n' +
      '<tool_call>\n{"name": "save-note", "arguments": {}}\n</tool_call>',
    events: [weather, paris, note, ["arguments", "{}"]],
  },
  {
    name: "two calls in one marker",
    raw: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n{"name": "save-note"}\n</tool_call>',
    events: [weather, paris, note, ["arguments", "{}"]],
  },
  {
    name: "the marker inside the arguments",
    raw: `<tool_call>\n{"name": "save-note", "arguments": ${trickyWith("</tool_call>")}}\n</tool_call>`,
    events: noteWith("</tool_call>"),
  },
  {
    name: "arguments before the name, and fields of no meaning",
    raw: '<tool_call>{"id": "x", "arguments": {"city": "Paris", "days": 3}, "name": "get_weather", "extra": [1, {"a": null}]}</tool_call>',
    events: [weather, paris],
  },
  {
    name: "arguments as a string that holds JSON",
    raw: String.raw`<tool_call>{"name": "get_weather", "arguments": "{\"city\": \"Paris\", \"days\": 3}"}</tool_call>`,
    events: [weather, paris],
  },
  {
    name: "the fields inside another",
    raw: '<tool_call>{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}}</tool_call>',
    events: [weather, paris],
  },
  {
    name: "no arguments, null and an empty string",
    raw:
      '<tool_call>{"name": "get_weather"}</tool_call><tool_call>{"name": "get_weather", "arguments": null}</tool_call>' +
      '<tool_call>{"name": "get_weather", "arguments": ""}</tool_call>',
    events: [weather, ["arguments", "{}"], weather, ["arguments", "{}"], weather, ["arguments", "{}"]],
  },
  {
    name: "a line break left bare in a string",
    raw: '<tool_call>{"name": "save-note", "arguments": {"text": "a\nb"}}</tool_call>',
    events: [note, ["arguments", String.raw`{"text": "a\nb"}`]],
  },
  {
    name: "text after a call",
    raw: '<tool_call>{"name": "get_weather"}</tool_call>\n\nThere it is. \n',
    events: [weather, ["arguments", "{}"], ["text", "There it is. \n"]],
  },
  {
    name: "something else in the marker",
    raw: "Look:\n<tool_call>\nget_weather(Paris)\n</tool_call>",
    events: [["text", "Look:\n\nget_weather(Paris)"]],
  },
  {
    name: "JSON that breaks off in the arguments",
    raw: '<tool_call>{"name": "get_weather", "arguments": {"city": Paris}}</tool_call> Sorry.',
    events: [weather, ["arguments", '{"city": '], ["text", "Paris}}Sorry."]],
  },
  {
    name: "text that begins like a marker",
    raw: " <tool is a < b && <tool_calls> \n\n",
    events: [["text", " <tool is a < b && <tool_calls> \n\n"]],
  },
];

export const thinkingQwen: Transcript[] = [
  {
    name: "thoughts, then text",
    raw: "<think>\nHm, 1 < 2.\n\nYes.\n</think>\n\nIt is < so.\n",
    events: [
      ["reasoning", "Hm, 1 < 2.\n\nYes."],
      ["text", "It is < so.\n"],
    ],
  },
  {
    name: "thoughts, then a call",
    raw: '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>',
    events: [["reasoning", "Hm."], weather, paris],
  },
  {
    name: "thoughts that the prompt has opened",
    raw: "Hm.\n</think>\n\nYes.",
    reasoningOpen: true,
    events: [
      ["reasoning", "Hm."],
      ["text", "Yes."],
    ],
  },
  {
    name: "thoughts that the prompt has opened, and the model again",
    raw: "<think>\nHm.</think>Yes.",
    reasoningOpen: true,
    events: [
      ["reasoning", "Hm."],
      ["text", "Yes."],
    ],
  },
  { name: "empty thoughts", raw: "<think>\n\n</think>\n\nYes.", events: [["text", "Yes."]] },
  { name: "thoughts without an end", raw: "<think>Hm, so \n", events: [["reasoning", "Hm, so \n"]] },
  {
    name: "a text about thoughts",
    raw: "The tag `<think>` opens thoughts, `</think>` closes them.",
    events: [["text", "The tag `<think>` opens thoughts, `</think>` closes them."]],
  },
];
