/**
 * The formats of the families that are known, from the documentation and the chat templates of their models.
 * `detectSyntax` finds out which of them a template speaks; the names are for people and tests.
 */
import type { CallSyntax, ReasoningSyntax, ReplySyntax } from "./reply-syntax.js";

export const think: ReasoningSyntax = { open: "<think>", close: "</think>" };

export const knownReasoning: readonly ReasoningSyntax[] = [
  think,
  { open: "[THINK]", close: "[/THINK]" },
  { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  { open: "<seed:think>", close: "</seed:think>" },
  { open: "<|channel>thought", close: "<channel|>" },
  { open: "<reasoning>", close: "</reasoning>" },
  { open: "<thinking>", close: "</thinking>" },
];

/** Markers around the reply itself, or before it: no template that names them means anything else by them. */
export const droppedMarkers: readonly string[] = [
  "<|START_RESPONSE|>",
  "<|END_RESPONSE|>",
  "<|START_TEXT|>",
  "<|END_TEXT|>",
  "<|python_tag|>",
];

const between = (open: string, close: string, payload: CallSyntax["payload"]): CallSyntax => ({
  ...{ open, close, groupOpen: "", groupClose: "" },
  payload,
});
const json = { type: "json", nameField: "name", argumentsField: "arguments", list: false } as const;
const jsonList = { ...json, list: true } as const;
const named = { type: "named", prefix: "", idOpen: "", suffix: "" } as const;

/** `<tool_call>\n{"name": "f", "arguments": {…}}\n</tool_call>`: Hermes, Qwen 2.5 and 3, Granite 4, and many more. */
const hermes = between("<tool_call>", "</tool_call>", json);

/** `[TOOL_CALLS]f[ARGS]{…}`, since 2025; some write `f[CALL_ID]x[ARGS]{…}`. */
const mistralNamed = between("[TOOL_CALLS]", "", { ...named, idOpen: "[CALL_ID]", separator: "[ARGS]" });

const deepSeekMarkers = {
  open: "<｜tool▁call▁begin｜>",
  close: "<｜tool▁call▁end｜>",
  groupOpen: "<｜tool▁calls▁begin｜>",
  groupClose: "<｜tool▁calls▁end｜>",
};
const deepSeekSeparator = "<｜tool▁sep｜>";

/** `<function=f>\n<parameter=a>\nv\n</parameter>\n</function>` */
const functionTags = {
  type: "tagged",
  nameOpen: "<function=",
  nameClose: ">",
  keyOpen: "<parameter=",
  keyClose: ">",
  valueOpen: "\n",
  valueClose: "\n</parameter>",
  end: "</function>",
} as const;

const marked = (
  calls: CallSyntax,
  reasoning: ReasoningSyntax | null = null,
  dropped: readonly string[] = [],
) => ({ type: "marked", calls, reasoning, dropped }) as const satisfies ReplySyntax;

export const families = {
  hermes: marked(hermes),
  qwen3: marked(hermes, think),
  // `{"name": "f", "parameters": {…}}` as the whole reply.
  llama3: marked(between("", "", { ...json, argumentsField: "parameters" }), null, ["<|python_tag|>"]),
  // `[TOOL_CALLS][{"name": "f", "arguments": {…}, "id": "…"}]`
  mistral: marked(between("[TOOL_CALLS]", "", { ...jsonList, idField: "id" })),
  mistralNamed: marked(mistralNamed),
  magistral: marked(mistralNamed, { open: "[THINK]", close: "[/THINK]" }),
  // `<|tool_call|>[{"name": "f", "arguments": {…}}]`
  granite3: marked(between("<|tool_call|>", "", jsonList), think, ["<response>", "</response>"]),
  // As Granite 3, with an end.
  phi4Mini: marked(between("<|tool_call|>", "<|/tool_call|>", jsonList)),
  // The arguments as a block of Markdown; V3, too.
  deepSeekR1: marked(
    {
      ...deepSeekMarkers,
      payload: {
        ...named,
        prefix: `function${deepSeekSeparator}`,
        separator: "\n```json\n",
        suffix: "\n```",
      },
    },
    think,
  ),
  deepSeekV31: marked({ ...deepSeekMarkers, payload: { ...named, separator: deepSeekSeparator } }, think),
  kimiK2: marked(
    {
      open: "<|tool_call_begin|>",
      close: "<|tool_call_end|>",
      groupOpen: "<|tool_calls_section_begin|>",
      groupClose: "<|tool_calls_section_end|>",
      payload: { ...named, prefix: "functions.", idOpen: ":", separator: "<|tool_call_argument_begin|>" },
    },
    think,
  ),
  // `<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>v</arg_value>\n</tool_call>`
  glm45: marked(
    between("<tool_call>", "</tool_call>", {
      type: "tagged",
      nameOpen: "",
      nameClose: "\n",
      keyOpen: "<arg_key>",
      keyClose: "</arg_key>",
      valueOpen: "<arg_value>",
      valueClose: "</arg_value>",
      end: "",
    }),
    think,
  ),
  // And later ones.
  qwen3Coder: marked(between("<tool_call>", "</tool_call>", functionTags)),
  seedOss: marked(
    between("<seed:tool_call>", "</seed:tool_call>", {
      ...functionTags,
      valueOpen: "",
      valueClose: "</parameter>",
    }),
    { open: "<seed:think>", close: "</seed:think>" },
  ),
  // `<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">v</parameter>\n</invoke>\n</minimax:tool_call>`
  miniMaxM2: marked(
    between("<minimax:tool_call>", "</minimax:tool_call>", {
      type: "tagged",
      nameOpen: '<invoke name="',
      nameClose: '">',
      keyOpen: '<parameter name="',
      keyClose: '">',
      valueOpen: "",
      valueClose: "</parameter>",
      end: "</invoke>",
    }),
    think,
  ),
  nemotron: marked(between("<TOOLCALL>", "</TOOLCALL>", jsonList), think),
  // Jamba, too.
  apriel: marked(between("<tool_calls>", "</tool_calls>", jsonList)),
  // `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {…}}]<|END_ACTION|>`: Command R7B and A.
  command: marked(
    between("<|START_ACTION|>", "<|END_ACTION|>", {
      type: "json",
      nameField: "tool_name",
      argumentsField: "parameters",
      list: true,
      idField: "tool_call_id",
    }),
    { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
    ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
  ),
  gptOss: { type: "harmony" },
  generic: { type: "generic", reasoning: null },
  genericThinking: { type: "generic", reasoning: think },
} as const satisfies Record<string, ReplySyntax>;

export type FamilyName = keyof typeof families;
