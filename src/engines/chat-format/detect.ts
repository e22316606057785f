/**
 * Finds out by rendering what a chat template can do with tools and reasoning, and in which format its model replies:
 * a conversation with known words is rendered, and what stands around them is compared with the known families.
 * Names of models do not matter.
 *
 * Done once, when a model is loaded. A template that does not show the tools, or whose calls cannot be read, gets our
 * own format.
 */
import { detectCalls } from "./detection/detect-calls.js";
import {
  answer,
  probeReasoning,
  probeText,
  probeTools,
  promptFor,
  question,
  type CallForm,
} from "./detection/probe.js";
import { withCallLists, withToolsInSystem, type RenderTemplate } from "./detection/template-render.js";
import { droppedMarkers, knownReasoning } from "./families.js";
import type { ReasoningSyntax, ReplySyntax } from "./reply-syntax.js";

export interface TemplateAbilities {
  syntax: ReplySyntax;
  /** Whether the template shows the tools. If not, the prompt for them is ours, and `syntax` is generic. */
  knowsTools: boolean;
  /** Where it looks for them: `withToolsInSystem` puts them into the system message. */
  toolsIn: "variable" | "system";
  /** How earlier calls are given to it; null when it does not show them and they must be written as text. */
  callForm: CallForm | null;
  /** Whether messages without calls need an empty list of them: `withCallLists` adds it. */
  needsCallLists: boolean;
  /** The variable that turns reasoning on and off; null where none does. */
  thinkingSwitch: string | null;
  takesEffort: boolean;
}

/** `source`: the text of the template, where it is known. */
export function detectSyntax(template: RenderTemplate, source = ""): TemplateAbilities {
  const needsCallLists = !takes(template) && takes(withCallLists(template));
  const render = needsCallLists ? withCallLists(template) : template;
  const toolsIn = !showsTools(render) && showsTools(withToolsInSystem(render)) ? "system" : "variable";
  const withTools = toolsIn === "system" ? withToolsInSystem(render) : render;
  const calls = showsTools(withTools) ? detectCalls(withTools) : null;
  const reasoning = calls?.syntax.type === "harmony" ? null : detectReasoning(render, source);
  const thinkingSwitch = detectThinkingSwitch(render);
  const abilities = { needsCallLists, toolsIn, thinkingSwitch, takesEffort: takesEffort(render) } as const;
  if (calls === null) {
    const syntax = { type: "generic", reasoning } as const;
    return { ...abilities, syntax, knowsTools: false, callForm: null };
  }
  const { syntax, form } = calls;
  const found =
    syntax.type === "harmony" ? syntax : { ...syntax, reasoning, dropped: dropped(syntax, source) };
  return { ...abilities, syntax: found, knowsTools: true, callForm: form };
}

const takes = (render: RenderTemplate): boolean => promptFor(render) !== null;

/** Whether a reply to this prompt begins inside reasoning. */
export function endsInReasoning(prompt: string, syntax: ReplySyntax): boolean {
  if (syntax.type === "harmony" || syntax.reasoning === null) return false;
  return prompt.trimEnd().endsWith(syntax.reasoning.open);
}

function showsTools(render: RenderTemplate): boolean {
  const prompt = promptFor(render, probeTools) ?? "";
  return probeTools.every(
    ({ function: tool }) => prompt.includes(tool.name) && prompt.includes(tool.description),
  );
}

function takesEffort(render: RenderTemplate): boolean {
  const prompt = (effort: string) => promptFor(render, null, { reasoning_effort: effort });
  return prompt("low") !== prompt("high");
}

/** Those that the family has, and those that the template names. */
function dropped(syntax: Extract<ReplySyntax, { type: "marked" }>, source: string): string[] {
  return [...new Set([...syntax.dropped, ...droppedMarkers.filter((marker) => source.includes(marker))])];
}

const switches = ["enable_thinking", "thinking"];

/** `source`: the template itself, which names markers that it only ever removes. */
function detectReasoning(render: RenderTemplate, source: string): ReasoningSyntax | null {
  const variants = [{}, ...switches.map((variable) => ({ [variable]: true }))];
  const prompts = variants.map((variables) => promptFor(render, null, variables) ?? "");
  const opened = knownReasoning.find(({ open }) => prompts.some((prompt) => prompt.trimEnd().endsWith(open)));
  return (
    opened ?? aroundReasoning(render) ?? knownReasoning.find(({ close }) => source.includes(close)) ?? null
  );
}

/** The variable of the template that turns reasoning on and off. */
function detectThinkingSwitch(render: RenderTemplate): string | null {
  const found = switches.find((variable) => {
    const [on, off] = [true, false].map((value) => promptFor(render, null, { [variable]: value }));
    return on !== null && off !== null && on !== off;
  });
  return found ?? null;
}

/** What stands around the reasoning of an assistant's message, where the template shows it. */
function aroundReasoning(render: RenderTemplate): ReasoningSyntax | null {
  const message = { ...answer, reasoning_content: probeReasoning };
  const rendered = render({ messages: [question, message], tools: null, addGenerationPrompt: false }) ?? "";
  const place = rendered.indexOf(probeReasoning);
  if (place < 0) return null;
  const before = rendered.slice(0, place).trimEnd();
  const after = rendered.slice(place + probeReasoning.length).trimStart();
  const known = knownReasoning.find(({ open, close }) => before.endsWith(open) && after.startsWith(close));
  if (known !== undefined) return known;
  const open = /(<[^<>\s]+>|\[[^[\]\s]+\])$/.exec(before)?.[1];
  const close = /^(<[^<>\s]+>|\[[^[\]\s]+\])/.exec(after)?.[1];
  // Marks of a turn stand around a whole message: then the reasoning was written as if it were the text.
  if (open === undefined || close === undefined || !after.includes(probeText)) return null;
  return { open, close };
}
