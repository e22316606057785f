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

const noGroup = { groupOpen: "", groupClose: "" };

/** `<tool_call>\n{"name": "f", "arguments": {…}}\n</tool_call>`: Hermes, Qwen 2.5 and 3, Granite 4, and many more. */
const hermes: CallSyntax = {
  open: "<tool_call>",
  close: "</tool_call>",
  ...noGroup,
  payload: { type: "json", nameField: "name", argumentsField: "arguments", list: false },
};

/** `{"name": "f", "parameters": {…}}` as the whole reply. */
const llama: CallSyntax = {
  open: "",
  close: "",
  ...noGroup,
  payload: { type: "json", nameField: "name", argumentsField: "parameters", list: false },
};

/** `[TOOL_CALLS][{"name": "f", "arguments": {…}, "id": "…"}]` */
const mistral: CallSyntax = {
  open: "[TOOL_CALLS]",
  close: "",
  ...noGroup,
  payload: { type: "json", nameField: "name", argumentsField: "arguments", list: true, idField: "id" },
};

/** `[TOOL_CALLS]f[ARGS]{…}`, since 2025; some write `f[CALL_ID]x[ARGS]{…}`. */
const mistralNamed: CallSyntax = {
  open: "[TOOL_CALLS]",
  close: "",
  ...noGroup,
  payload: { type: "named", prefix: "", idOpen: "[CALL_ID]", separator: "[ARGS]", suffix: "" },
};

/** `<|tool_call|>[{"name": "f", "arguments": {…}}]` */
const granite: CallSyntax = {
  open: "<|tool_call|>",
  close: "",
  ...noGroup,
  payload: { type: "json", nameField: "name", argumentsField: "arguments", list: true },
};

/** As Granite 3, with an end. */
const phi: CallSyntax = { ...granite, close: "<|/tool_call|>" };

const deepSeekMarkers = {
  open: "<｜tool▁call▁begin｜>",
  close: "<｜tool▁call▁end｜>",
  groupOpen: "<｜tool▁calls▁begin｜>",
  groupClose: "<｜tool▁calls▁end｜>",
};

/** R1 and V3: the arguments as a block of Markdown. */
const deepSeek: CallSyntax = {
  ...deepSeekMarkers,
  payload: {
    type: "named",
    prefix: "function<｜tool▁sep｜>",
    idOpen: "",
    separator: "\n```json\n",
    suffix: "\n```",
  },
};

const deepSeekV31: CallSyntax = {
  ...deepSeekMarkers,
  payload: { type: "named", prefix: "", idOpen: "", separator: "<｜tool▁sep｜>", suffix: "" },
};

const kimi: CallSyntax = {
  open: "<|tool_call_begin|>",
  close: "<|tool_call_end|>",
  groupOpen: "<|tool_calls_section_begin|>",
  groupClose: "<|tool_calls_section_end|>",
  payload: {
    type: "named",
    prefix: "functions.",
    idOpen: ":",
    separator: "<|tool_call_argument_begin|>",
    suffix: "",
  },
};

/** `<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>v</arg_value>\n</tool_call>` */
const glm: CallSyntax = {
  open: "<tool_call>",
  close: "</tool_call>",
  ...noGroup,
  payload: {
    type: "tagged",
    nameOpen: "",
    nameClose: "\n",
    keyOpen: "<arg_key>",
    keyClose: "</arg_key>",
    valueOpen: "<arg_value>",
    valueClose: "</arg_value>",
    end: "",
  },
};

/** `<tool_call>\n<function=f>\n<parameter=a>\nv\n</parameter>\n</function>\n</tool_call>`: Qwen3-Coder and later. */
const qwenCoder = {
  open: "<tool_call>",
  close: "</tool_call>",
  ...noGroup,
  payload: {
    type: "tagged",
    nameOpen: "<function=",
    nameClose: ">",
    keyOpen: "<parameter=",
    keyClose: ">",
    valueOpen: "\n",
    valueClose: "\n</parameter>",
    end: "</function>",
  },
} as const satisfies CallSyntax;

/** `<seed:tool_call>\n<function=f>\n<parameter=a>v</parameter>\n</function>\n</seed:tool_call>`: Seed-OSS. */
const seed: CallSyntax = {
  ...qwenCoder,
  open: "<seed:tool_call>",
  close: "</seed:tool_call>",
  payload: { ...qwenCoder.payload, valueOpen: "", valueClose: "</parameter>" },
};

/** `<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">v</parameter>\n</invoke>\n</minimax:tool_call>` */
const miniMax: CallSyntax = {
  open: "<minimax:tool_call>",
  close: "</minimax:tool_call>",
  ...noGroup,
  payload: {
    type: "tagged",
    nameOpen: '<invoke name="',
    nameClose: '">',
    keyOpen: '<parameter name="',
    keyClose: '">',
    valueOpen: "",
    valueClose: "</parameter>",
    end: "</invoke>",
  },
};

/** `<TOOLCALL>[{"name": "f", "arguments": {…}}]</TOOLCALL>` */
const nemotron: CallSyntax = { ...granite, open: "<TOOLCALL>", close: "</TOOLCALL>" };

/** `<tool_calls>[{"name": "f", "arguments": {…}}]</tool_calls>`: Apriel, Jamba. */
const apriel: CallSyntax = { ...granite, open: "<tool_calls>", close: "</tool_calls>" };

/** `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {…}}]<|END_ACTION|>`: Command R7B and A. */
const command: CallSyntax = {
  open: "<|START_ACTION|>",
  close: "<|END_ACTION|>",
  ...noGroup,
  payload: {
    type: "json",
    nameField: "tool_name",
    argumentsField: "parameters",
    list: true,
    idField: "tool_call_id",
  },
};

const marked = (
  calls: CallSyntax,
  reasoning: ReasoningSyntax | null = null,
  dropped: readonly string[] = [],
) => ({ type: "marked", calls, reasoning, dropped }) as const satisfies ReplySyntax;

export const families = {
  hermes: marked(hermes),
  qwen3: marked(hermes, think),
  llama3: marked(llama, null, ["<|python_tag|>"]),
  mistral: marked(mistral),
  mistralNamed: marked(mistralNamed),
  magistral: marked(mistralNamed, { open: "[THINK]", close: "[/THINK]" }),
  granite3: marked(granite, think, ["<response>", "</response>"]),
  phi4Mini: marked(phi),
  deepSeekR1: marked(deepSeek, think),
  deepSeekV31: marked(deepSeekV31, think),
  kimiK2: marked(kimi, think),
  glm45: marked(glm, think),
  qwen3Coder: marked(qwenCoder),
  seedOss: marked(seed, { open: "<seed:think>", close: "</seed:think>" }),
  miniMaxM2: marked(miniMax, think),
  nemotron: marked(nemotron, think),
  apriel: marked(apriel),
  command: marked(command, { open: "<|START_THINKING|>", close: "<|END_THINKING|>" }, [
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
  ]),
  gptOss: { type: "harmony" },
  generic: { type: "generic", reasoning: null },
  genericThinking: { type: "generic", reasoning: think },
} as const satisfies Record<string, ReplySyntax>;

export type FamilyName = keyof typeof families;
