/**
 * Finds out by rendering what a chat template can do with tools and reasoning, and in which format its model replies:
 * a conversation with known words is rendered, and what stands around them is compared with the known families.
 * Names of models do not matter.
 *
 * Done once, when a model is loaded. A template that does not show the tools, or whose calls cannot be read, gets our
 * own format.
 */
import { detectCalls } from "./detection/detect-calls.js";
import { detectReasoning, detectThinkingSwitch } from "./detection/detect-reasoning.js";
import { probeTools, promptFor, type CallForm } from "./detection/probe.js";
import { withCallLists, withToolsInSystem, type RenderTemplate } from "./detection/template-render.js";
import { droppedMarkers } from "./families.js";
import type { ReplySyntax } from "./reply-syntax.js";

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
