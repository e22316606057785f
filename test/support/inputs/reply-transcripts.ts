/** Replies of each family, written by hand from the documentation of its models, and the events they are parsed to. */
import type { FamilyName } from "../../../src/engines/chat-format/families.js";
import type { ReplyTool } from "../../../src/engines/chat-format/parser-of.js";

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

const paris = ["arguments", '{"city": "Paris", "days": 3}'] as const;
const weather = ["call", "get_weather"] as const;
const note = ["call", "save-note"] as const;
/** Quotes, braces, escapes and characters of every length; `CLOSE` becomes what ends a call of the family. */
const tricky = String.raw`{"text": "a \"b\" {c} ]} \\ \n é 語 😀 \ud83d\ude00 CLOSE", "tags": ["{", "}"]}`;
const trickyWith = (close: string): string => tricky.replace("CLOSE", close);
const noteWith = (close: string) => [note, ["arguments", trickyWith(close)]] as const;

const hermesCalls: Transcript[] = [
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

const thinkingQwen: Transcript[] = [
  {
    name: "reasoning, then text",
    raw: "<think>\nHm, 1 < 2.\n\nYes.\n</think>\n\nIt is < so.\n",
    events: [
      ["reasoning", "Hm, 1 < 2.\n\nYes."],
      ["text", "It is < so.\n"],
    ],
  },
  {
    name: "reasoning, then a call",
    raw: '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>',
    events: [["reasoning", "Hm."], weather, paris],
  },
  {
    name: "reasoning that the prompt has opened",
    raw: "Hm.\n</think>\n\nYes.",
    reasoningOpen: true,
    events: [
      ["reasoning", "Hm."],
      ["text", "Yes."],
    ],
  },
  {
    name: "reasoning that the prompt has opened, and the model again",
    raw: "<think>\nHm.</think>Yes.",
    reasoningOpen: true,
    events: [
      ["reasoning", "Hm."],
      ["text", "Yes."],
    ],
  },
  { name: "empty reasoning", raw: "<think>\n\n</think>\n\nYes.", events: [["text", "Yes."]] },
  { name: "reasoning without an end", raw: "<think>Hm, so \n", events: [["reasoning", "Hm, so \n"]] },
  {
    name: "a text about reasoning",
    raw: "The tag `<think>` opens thoughts, `</think>` closes them.",
    events: [["text", "The tag `<think>` opens thoughts, `</think>` closes them."]],
  },
];

export const transcripts: Record<FamilyName, readonly Transcript[]> = {
  hermes: hermesCalls,
  qwen3: [...hermesCalls, ...thinkingQwen],
  llama3: [
    {
      name: "a call",
      raw: '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}',
      events: [weather, paris],
    },
    {
      name: "a call after the marker, with its type",
      raw: '\n<|python_tag|>{"type": "function", "name": "get_weather", "parameters": {"city": "Paris", "days": 3}}',
      events: [weather, paris],
    },
    {
      name: "text, then a marked call",
      raw: 'I look.\n<|python_tag|>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
      events: [["text", "I look."], weather, paris],
    },
    {
      name: "two calls",
      raw: `{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}; {"name": "save-note", "parameters": ${trickyWith("}}")}}`,
      events: [weather, paris, ...noteWith("}}")],
    },
    {
      name: "JSON that is the answer",
      raw: '{"city": "Paris", "name": "get_weather"}',
      events: [["text", '{"city": "Paris", "name": "get_weather"}']],
    },
    {
      name: "a name that is no tool's",
      raw: ' {"name": "Ada", "parameters": {}}',
      events: [["text", ' {"name": "Ada", "parameters": {}}']],
    },
    { name: "a brace", raw: "{ is a brace", events: [["text", "{ is a brace"]] },
  ],
  mistral: [
    {
      name: "text, then a call",
      raw: 'I look.[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}, "id": "abc123def"}]',
      events: [["text", "I look."], weather, paris],
    },
    {
      name: "two calls",
      raw: `[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}, {"name": "save-note", "arguments": ${trickyWith("[TOOL_CALLS]")}}]`,
      events: [weather, paris, ...noteWith("[TOOL_CALLS]")],
    },
    {
      name: "one object without a list",
      raw: '[TOOL_CALLS]{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
      events: [weather, paris],
    },
    { name: "an empty list", raw: "Nothing.\n[TOOL_CALLS][]", events: [["text", "Nothing."]] },
  ],
  mistralNamed: [
    {
      name: "text, then a call",
      raw: 'I look. [TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}',
      events: [["text", "I look."], weather, paris],
    },
    {
      name: "two calls with ids",
      raw: `[TOOL_CALLS]get_weather[CALL_ID]abc123def[ARGS]{"city": "Paris", "days": 3}[TOOL_CALLS]save-note[CALL_ID]abc123deg[ARGS]${trickyWith("[TOOL_CALLS]")}`,
      events: [weather, paris, ...noteWith("[TOOL_CALLS]")],
    },
    {
      name: "a call without the separator, and one without arguments",
      raw: '[TOOL_CALLS]get_weather{"city": "Paris", "days": 3}[TOOL_CALLS]save-note[ARGS]null',
      events: [weather, paris, note, ["arguments", "{}"]],
    },
    {
      name: "no name after the marker",
      raw: "Use [TOOL_CALLS] for calls.",
      events: [["text", "Use  for calls."]],
    },
  ],
  magistral: [
    {
      name: "reasoning, then text",
      raw: "[THINK]Hm [1].[/THINK]Yes [2].",
      events: [
        ["reasoning", "Hm [1]."],
        ["text", "Yes [2]."],
      ],
    },
    {
      name: "reasoning, then a call",
      raw: '[THINK]Hm.[/THINK][TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}',
      events: [["reasoning", "Hm."], weather, paris],
    },
  ],
  granite3: [
    {
      name: "two calls",
      raw: `<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}, {"name": "save-note", "arguments": ${trickyWith("]")}}]`,
      events: [weather, paris, ...noteWith("]")],
    },
    {
      name: "reasoning, then text",
      raw: "<think>Hm.</think>\n<response>Yes.</response>",
      events: [
        ["reasoning", "Hm."],
        ["text", "Yes."],
      ],
    },
  ],
  phi4Mini: [
    {
      name: "text, then two calls",
      raw: `I look.<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}, {"name": "save-note", "arguments": ${trickyWith("<|/tool_call|>")}}]<|/tool_call|>`,
      events: [["text", "I look."], weather, paris, ...noteWith("<|/tool_call|>")],
    },
    {
      name: "a marker for each call",
      raw: '<|tool_call|>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}<|/tool_call|><|tool_call|>{"name": "save-note"}<|/tool_call|>',
      events: [weather, paris, note, ["arguments", "{}"]],
    },
  ],
  deepSeekR1: [
    {
      name: "reasoning, then a call",
      raw: '<think>\nHm.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris", "days": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      events: [["reasoning", "Hm."], weather, paris],
    },
    {
      name: "two calls after reasoning opened by the prompt, and text",
      raw: `Hm.</think>I look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n{"city": "Paris", "days": 3}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>save-note\n\`\`\`json\n${trickyWith("\\n```<｜tool▁call▁end｜>")}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      reasoningOpen: true,
      events: [
        ["reasoning", "Hm."],
        ["text", "I look."],
        weather,
        paris,
        ...noteWith("\\n```<｜tool▁call▁end｜>"),
      ],
    },
  ],
  deepSeekV31: [
    {
      name: "text, then two calls",
      raw: `I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris", "days": 3}<｜tool▁call▁end｜><｜tool▁call▁begin｜>save-note<｜tool▁sep｜>${trickyWith("<｜tool▁call▁end｜>")}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      events: [["text", "I look."], weather, paris, ...noteWith("<｜tool▁call▁end｜>")],
    },
    {
      name: "reasoning, then text",
      raw: "Hm.</think>Yes.",
      reasoningOpen: true,
      events: [
        ["reasoning", "Hm."],
        ["text", "Yes."],
      ],
    },
  ],
  kimiK2: [
    {
      name: "text, then two calls",
      raw: `I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris", "days": 3}<|tool_call_end|><|tool_call_begin|>functions.save-note:1<|tool_call_argument_begin|>${trickyWith("<|tool_call_end|>")}<|tool_call_end|><|tool_calls_section_end|>`,
      events: [["text", "I look."], weather, paris, ...noteWith("<|tool_call_end|>")],
    },
  ],
  glm45: [
    {
      name: "reasoning, text and two calls",
      raw:
        "\n<think>Hm.</think>\nI look.\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n" +
        '<tool_call>save-note\n<arg_key>text</arg_key>\n<arg_value>a "b" </tool_call> \\ é 😀\n3</arg_value>\n<arg_key>tags</arg_key>\n<arg_value>["x"]</arg_value>\n</tool_call>',
      events: [
        ["reasoning", "Hm."],
        ["text", "I look."],
        weather,
        ["arguments", '{"city":"Paris","days":3}'],
        note,
        ["arguments", String.raw`{"text":"a \"b\" </tool_call> \\ é 😀\n3","tags":["x"]}`],
      ],
    },
    {
      name: "calls without arguments",
      raw: "<tool_call>save-note\n</tool_call><tool_call>save-note</tool_call>",
      events: [note, ["arguments", "{}"], note, ["arguments", "{}"]],
    },
  ],
  qwen3Coder: [
    {
      name: "text, then a call",
      raw: "I look.\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
      events: [["text", "I look."], weather, ["arguments", '{"city":"Paris","days":3}']],
    },
    {
      name: "two calls, one without the outer marker, one without arguments",
      raw:
        '<function=save-note>\n<parameter=text>\n {"a": 1}\n\n<b>"é" 😀\\</b></tool_call>\n\n</parameter>\n<parameter=tags>[\n"x"\n]</parameter>\n</function>\n</tool_call>\n' +
        "<tool_call>\n<function=get_weather>\n</function>\n</tool_call>",
      events: [
        note,
        [
          "arguments",
          String.raw`{"text":" {\"a\": 1}\n\n<b>\"é\" 😀\\</b></tool_call>\n","tags":[` + '\n"x"\n]}',
        ],
        weather,
        ["arguments", "{}"],
      ],
    },
    {
      name: "arguments as JSON in the place of the tags, and a call as JSON",
      raw: `<tool_call>\n<function=save-note>\n${trickyWith("</function>")}\n</function>\n</tool_call><tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>`,
      events: [...noteWith("</function>"), weather, paris],
    },
    {
      name: "values that are not of their type, and Python's words",
      raw: "<tool_call>\n<function=get_weather>\n<parameter=city>\n5\n</parameter>\n<parameter=days>\nthree\n</parameter>\n<parameter=more>\nTrue\n</parameter>\n</function>\n</tool_call>",
      events: [weather, ["arguments", '{"city":"5","days":"three","more":true}']],
    },
  ],
  seedOss: [
    {
      name: "reasoning, then a call",
      raw: "<seed:think>Hm.</seed:think>\n\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n<parameter=days>3</parameter>\n</function>\n</seed:tool_call>",
      events: [["reasoning", "Hm."], weather, ["arguments", '{"city":"Paris","days":3}']],
    },
    {
      name: "a value of several lines",
      raw: '<seed:tool_call>\n<function=save-note>\n<parameter=text>a\n"b"</parameter>\n</function>\n</seed:tool_call>',
      events: [note, ["arguments", String.raw`{"text":"a\n\"b\""}`]],
    },
  ],
  miniMaxM2: [
    {
      name: "reasoning that the prompt has opened, then a call",
      raw: 'Hm.\n</think>\n\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n</minimax:tool_call>',
      reasoningOpen: true,
      events: [["reasoning", "Hm."], weather, ["arguments", '{"city":"Paris","days":3}']],
    },
    {
      name: "two calls in one marker",
      raw: '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n<invoke name="save-note">\n</invoke>\n</minimax:tool_call>',
      events: [weather, ["arguments", '{"city":"Paris"}'], note, ["arguments", "{}"]],
    },
  ],
  nemotron: [
    {
      name: "two calls",
      raw: `<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}, {"name": "save-note", "arguments": ${trickyWith("</TOOLCALL>")}}]</TOOLCALL>`,
      events: [weather, paris, ...noteWith("</TOOLCALL>")],
    },
  ],
  apriel: [
    {
      name: "text, then a call",
      raw: 'I look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}, "id": "x"}]</tool_calls>',
      events: [["text", "I look."], weather, paris],
    },
  ],
  command: [
    {
      name: "reasoning, then two calls",
      raw: `<|START_THINKING|>I will look.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", "days": 3}},\n    {"tool_call_id": "1", "tool_name": "save-note", "parameters": ${trickyWith("<|END_ACTION|>")}}\n]<|END_ACTION|>`,
      events: [["reasoning", "I will look."], weather, paris, ...noteWith("<|END_ACTION|>")],
    },
    {
      name: "text",
      raw: "<|START_RESPONSE|>It is <|so|>.<|END_RESPONSE|>",
      events: [["text", "It is <|so|>."]],
    },
  ],
  gptOss: [
    {
      name: "reasoning, a preamble and a call",
      raw: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris", "days": 3}<|call|>',
      events: [["reasoning", "Hm."], ["text", "I look."], weather, paris],
    },
    {
      name: "two calls, the recipient before the channel in one",
      raw: ` to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Paris", "days": 3}<|call|><|start|>assistant<|channel|>commentary to=functions.save-note<|message|>${trickyWith("<|call|>")}<|call|>`,
      events: [weather, paris, ...noteWith("<|call|>")],
    },
    {
      name: "reasoning, then text",
      raw: "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>analysis<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>It is <|so|>.<|return|>",
      events: [
        ["reasoning", "Hm.\n\nWell."],
        ["text", "It is <|so|>."],
      ],
    },
    {
      name: "a call without arguments, and one of a tool that is built in",
      raw: "<|channel|>analysis to=python code<|message|>print(1)<|call|><|start|>assistant<|channel|>commentary to=functions.save-note <|constrain|>json<|message|><|call|>",
      events: [["reasoning", "print(1)"], note, ["arguments", "{}"]],
    },
    { name: "no header", raw: "to be or not", events: [["text", "to be or not"]] },
  ],
  generic: [
    {
      name: "text with every escape",
      raw: String.raw`{"reply": "a \"b\" \\ \/ \n\té \u00e9 \ud83d\ude00 😀"}`,
      events: [["text", 'a "b" \\ / \n\té é 😀 😀']],
    },
    {
      name: "two calls",
      raw: `{"calls": [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}, {"name": "save-note", "arguments": ${trickyWith('\\"}]}')}}]}`,
      events: [weather, paris, ...noteWith('\\"}]}')],
    },
    { name: "something else", raw: '{"answer": "x"}', events: [["text", '{"answer": "x"}']] },
  ],
  genericThinking: [
    {
      name: "reasoning, then text",
      raw: '<think>\nHm.\n</think>\n\n{"reply": "Yes."}',
      events: [
        ["reasoning", "Hm."],
        ["text", "Yes."],
      ],
    },
    {
      name: "reasoning that the prompt has opened, then a call",
      raw: 'Hm.</think>\n{"calls":[{"name":"get_weather","arguments":{"city": "Paris", "days": 3}}]}\n',
      reasoningOpen: true,
      events: [["reasoning", "Hm."], weather, paris],
    },
  ],
};
