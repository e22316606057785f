/**
 * A model that looks up the weather before it answers, for the agent loops of client libraries; where a schema is asked
 * for it answers with that.
 */
import { z } from "zod";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import type { Script } from "../engines/fake-engine.js";

export const place = z.object({ city: z.string() });
export const prompt = "How is the weather in Paris?";
/** The prompt, for clients that take messages. */
export const question = [{ role: "user" as const, content: prompt }];
export const answer = "It is sunny in Paris.";

/** The cities that were asked for; a test empties it. */
export const asked: string[] = [];
export const lookUp = ({ city }: { city: string }): string => {
  asked.push(city);
  return "sunny";
};

/** Calls the first function that it was given, once, saying `before`; then answers. Both come after its thoughts. */
export function weatherScript(
  { messages, tooling, format }: Generation,
  { thoughts = [], before = [] }: { thoughts?: Script["fragments"]; before?: Script["fragments"] } = {},
): Script {
  const [first] = tooling?.tools ?? [];
  const isAnswered = messages.some(({ role }) => role === "tool");
  if (first !== undefined && !isAnswered) {
    const hasCity = JSON.stringify(first.parameters ?? {}).includes("city");
    return {
      fragments: [
        ...thoughts,
        ...before,
        { call: first.name, id: "call_0123456789" },
        ...(hasCity ? ['{"ci', 'ty":"Par', 'is"}'] : ["{}"]).map((text) => ({ arguments: text })),
      ],
      finishReason: "tool_calls",
    };
  }
  const said = format.type === "text" ? ["It is ", "sunny in Paris."] : ['{"city":', '"Paris"}'];
  return { fragments: [...thoughts, ...said] };
}

/** Thinks first, unless it is told not to. */
export const thoughtfulScript = (generation: Generation): Script =>
  weatherScript(generation, {
    thoughts: generation.reasoningEffort === "none" ? [] : [{ reasoning: "The weather" }, { reasoning: "…" }],
    before: ["Let me look."],
  });
