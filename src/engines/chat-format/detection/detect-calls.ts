/**
 * The format in which a template writes calls: the family whose parser reads them back from what the template renders.
 *
 * Some templates show the tools but leave earlier calls out (Granite 3): for them it is the family whose markers the
 * template's instructions name.
 */
import {
  answer,
  type CallForm,
  callForms,
  callMessage,
  probeArguments,
  probeName,
  probeText,
  probeTools,
  promptFor,
  question,
} from "./probe.js";
import type { RenderTemplate } from "./template-render.js";
import { isJson } from "../../../core/is-json.js";
import { families } from "../families.js";
import { replyParser } from "../parser-of.js";
import type { ReplySyntax } from "../reply-syntax.js";

export interface DetectedCalls {
  syntax: Extract<ReplySyntax, { type: "marked" | "harmony" }>;
  /** How earlier calls are given to the template; null when it does not show them. */
  form: CallForm | null;
}

/** The ones with an end come first: to those without, an end that is there would be text. */
const candidates = Object.values(families)
  .filter((syntax) => syntax.type !== "generic")
  .sort((a, b) => markers(b).length - markers(a).length);

export function detectCalls(render: RenderTemplate): DetectedCalls | null {
  for (const form of callForms) {
    const call = renderedCall(render, form);
    const syntax = call === null ? undefined : candidates.find((candidate) => fits(candidate, call));
    if (syntax !== undefined) return { syntax, form };
  }
  return byInstructions(render);
}

/** A message with a call as the template writes it, and what ends the turn. */
function renderedCall(render: RenderTemplate, form: CallForm): string | null {
  const base = { tools: probeTools, addGenerationPrompt: false };
  const whole = render({ ...base, messages: [question, callMessage(form)] });
  if (whole === null) return null;
  const prompt = promptFor(render, probeTools) ?? "";
  const [before = ""] = (render({ ...base, messages: [question, answer] }) ?? "").split(probeText);
  const start =
    [prompt, before].find((text) => text !== "" && whole.startsWith(text)) ?? sharedStart(whole, before);
  return whole.slice(start.length);
}

/** What both begin with, up to where a marker may begin: two markers begin alike. */
function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a.charAt(length) === b.charAt(length)) length += 1;
  const shared = a.slice(0, length);
  const marker = Math.max(shared.lastIndexOf("<"), shared.lastIndexOf("["));
  return marker > Math.max(shared.lastIndexOf(">"), shared.lastIndexOf("]"))
    ? shared.slice(0, marker)
    : shared;
}

/** Whether the call, and nothing but it, is read back from the text. */
function fits(syntax: ReplySyntax, text: string): boolean {
  if (!markers(syntax).every((marker) => text.includes(marker))) return false;
  const tools = probeTools.map(({ function: { name, parameters } }) => ({ name, parameters }));
  const parser = replyParser(syntax, { tools, callsExpected: true, reasoningOpen: false });
  const names: string[] = [];
  let value = "";
  for (const event of [...parser.push(text), ...parser.flush()]) {
    if (event.type === "call") names.push(event.name);
    else if (event.type === "arguments") value += event.text;
    else if (/sotto_|probe_key/.test(event.text)) return false;
  }
  return names.length === 1 && names[0] === probeName && isProbe(value);
}

const isProbe = (text: string): boolean =>
  isJson(text) && JSON.stringify(JSON.parse(text)) === JSON.stringify(probeArguments);

/** What must occur where the family is spoken. */
function markers(syntax: ReplySyntax): string[] {
  if (syntax.type !== "marked" || syntax.calls === null) return [];
  const { open, close, groupOpen, groupClose, payload } = syntax.calls;
  const fields = payload.type === "json" ? [`"${payload.nameField}"`, `"${payload.argumentsField}"`] : [];
  return [open, close, groupOpen, groupClose, ...fields].filter((marker) => marker !== "");
}

function byInstructions(render: RenderTemplate): DetectedCalls | null {
  const prompt = promptFor(render, probeTools);
  const without = promptFor(render);
  if (prompt === null) return null;
  const isNamed = (syntax: ReplySyntax) => {
    const own = markers(syntax).filter((marker) => !marker.startsWith('"'));
    return (
      own.length > 0 && own.every((marker) => prompt.includes(marker) && without?.includes(marker) !== true)
    );
  };
  // Phi-4-mini's template says nothing of calls, but only it shows tools like this.
  const isPhi = prompt.includes("<|tool|>") && prompt.includes("<|/tool|>");
  const syntax = candidates.find(isNamed) ?? (isPhi ? families.phi4Mini : undefined);
  return syntax === undefined ? null : { syntax, form: null };
}
