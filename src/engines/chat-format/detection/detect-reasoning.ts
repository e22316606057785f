/** How a template marks its model's reasoning, and which variable switches it. */
import { knownReasoning } from "../families.js";
import type { ReasoningSyntax } from "../reply-syntax.js";
import { answer, probeText, probeReasoning, promptFor, question } from "./probe.js";
import type { RenderTemplate } from "./template-render.js";

const switches = ["enable_thinking", "thinking"];

/** `source`: the template itself, which names markers that it only ever removes. */
export function detectReasoning(render: RenderTemplate, source: string): ReasoningSyntax | null {
  const variants = [{}, ...switches.map((variable) => ({ [variable]: true }))];
  const prompts = variants.map((variables) => promptFor(render, null, variables) ?? "");
  const opened = knownReasoning.find(({ open }) => prompts.some((prompt) => prompt.trimEnd().endsWith(open)));
  return (
    opened ?? aroundReasoning(render) ?? knownReasoning.find(({ close }) => source.includes(close)) ?? null
  );
}

/** The variable of the template that turns reasoning on and off. */
export function detectThinkingSwitch(render: RenderTemplate): string | null {
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
