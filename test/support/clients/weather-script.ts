/** A scripted model that looks up the weather before it answers. */
import { z } from "zod";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import type { Script } from "../engines/fake-engine.js";

export const place = z.object({ city: z.string() });
export const answer = "It is sunny in Paris.";
export const question = [{ role: "user" as const, content: "How is the weather in Paris?" }];
export const asked: string[] = [];
export const lookUp = ({ city }: { city: string }): string => {
  asked.push(city);
  return "sunny";
};

/** Calls the first tool that it was given, once; then answers. */
export function script({ messages, tooling, format, reasoningEffort }: Generation): Script {
  const [first] = tooling?.tools ?? [];
  const thoughts = reasoningEffort === "none" ? [] : [{ reasoning: "The weather" }, { reasoning: "…" }];
  if (first !== undefined && !messages.some(({ role }) => role === "tool")) {
    const json = ['{"ci', 'ty":"Par', 'is"}'].map((text) => ({ arguments: text }));
    return {
      fragments: [...thoughts, "Let me look.", { call: first.name, id: "call_0123456789" }, ...json],
      finishReason: "tool_calls",
    };
  }
  return {
    fragments: [
      ...thoughts,
      ...(format.type === "text" ? ["It is ", "sunny in Paris."] : ['{"city":', '"Paris"}']),
    ],
  };
}
