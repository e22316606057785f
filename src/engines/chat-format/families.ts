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
const named = { type: "named", prefix: "", idOpen: "", suffix: "" } as const;

/** `<tool_call>\n{"name": "f", "arguments": {…}}\n</tool_call>`: Hermes, Qwen 2.5 and 3, Granite 4, and many more. */
const hermes = between("<tool_call>", "</tool_call>", json);

/** `{"name": "f", "parameters": {…}}` as the whole reply. */
const llama = between("", "", { ...json, argumentsField: "parameters" });

/** `[TOOL_CALLS][{"name": "f", "arguments": {…}, "id": "…"}]` */
const mistral = between("[TOOL_CALLS]", "", { ...json, list: true, idField: "id" });

/** `[TOOL_CALLS]f[ARGS]{…}`, since 2025; some write `f[CALL_ID]x[ARGS]{…}`. */
const mistralNamed = between("[TOOL_CALLS]", "", { ...named, idOpen: "[CALL_ID]", separator: "[ARGS]" });

/** `<|tool_call|>[{"name": "f", "arguments": {…}}]` */
const granite = between("<|tool_call|>", "", { ...json, list: true });

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
  payload: { ...named, prefix: "function<｜tool▁sep｜>", separator: "\n```json\n", suffix: "\n```" },
};

const deepSeekV31: CallSyntax = {
  ...deepSeekMarkers,
  payload: { ...named, separator: "<｜tool▁sep｜>" },
};

const kimi: CallSyntax = {
  open: "<|tool_call_begin|>",
  close: "<|tool_call_end|>",
  groupOpen: "<|tool_calls_section_begin|>",
  groupClose: "<|tool_calls_section_end|>",
  payload: { ...named, prefix: "functions.", idOpen: ":", separator: "<|tool_call_argument_begin|>" },
};

/** `<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>v</arg_value>\n</tool_call>` */
const glm = between("<tool_call>", "</tool_call>", {
  type: "tagged",
  nameOpen: "",
  nameClose: "\n",
  keyOpen: "<arg_key>",
  keyClose: "</arg_key>",
  valueOpen: "<arg_value>",
  valueClose: "</arg_value>",
  end: "",
});

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

/** `<tool_call>\n<function=f>\n<parameter=a>\nv\n</parameter>\n</function>\n</tool_call>`: Qwen3-Coder and later. */
const qwenCoder = between("<tool_call>", "</tool_call>", functionTags);

/** `<seed:tool_call>\n<function=f>\n<parameter=a>v</parameter>\n</function>\n</seed:tool_call>`: Seed-OSS. */
const seed = between("<seed:tool_call>", "</seed:tool_call>", {
  ...functionTags,
  valueOpen: "",
  valueClose: "</parameter>",
});

/** `<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">v</parameter>\n</invoke>\n</minimax:tool_call>` */
const miniMax = between("<minimax:tool_call>", "</minimax:tool_call>", {
  type: "tagged",
  nameOpen: '<invoke name="',
  nameClose: '">',
  keyOpen: '<parameter name="',
  keyClose: '">',
  valueOpen: "",
  valueClose: "</parameter>",
  end: "</invoke>",
});

/** `<TOOLCALL>[{"name": "f", "arguments": {…}}]</TOOLCALL>` */
const nemotron: CallSyntax = { ...granite, open: "<TOOLCALL>", close: "</TOOLCALL>" };

/** `<tool_calls>[{"name": "f", "arguments": {…}}]</tool_calls>`: Apriel, Jamba. */
const apriel: CallSyntax = { ...granite, open: "<tool_calls>", close: "</tool_calls>" };

/** `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {…}}]<|END_ACTION|>`: Command R7B and A. */
const command = between("<|START_ACTION|>", "<|END_ACTION|>", {
  type: "json",
  nameField: "tool_name",
  argumentsField: "parameters",
  list: true,
  idField: "tool_call_id",
});

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
