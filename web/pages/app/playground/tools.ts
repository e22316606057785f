/**
 * The tools typed into the settings: a JSON array of tools as the API takes them, or of bare functions. Parsed with
 * the service's own code, so both accept the same. They exist only in the page's memory.
 */
import { ServiceError } from "../../../../src/core/errors.js";
import { isObject } from "../../../../src/protocol/read-json.js";
import { readTooling } from "../../../../src/protocol/chat-completions/tools.js";

type ReadTools = { tools: readonly object[]; error: null } | { tools: null; error: string };

export function readTools(text: string): ReadTools {
  if (text.trim() === "") return { tools: [], error: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { tools: null, error: reasonOf(error) };
  }
  if (!Array.isArray(value)) return { tools: null, error: "Enter a JSON array: [ … ]." };
  const tools = value.map(asTool);
  try {
    readTooling({ tools });
  } catch (error) {
    if (error instanceof ServiceError) return { tools: null, error: error.message };
    throw error;
  }
  return { tools: tools.filter(isObject), error: null };
}

export const namesOf = (tools: readonly object[]): string[] =>
  tools.flatMap((tool) => {
    const described = "function" in tool ? tool.function : undefined;
    return isObject(described) && typeof described.name === "string" ? [described.name] : [];
  });

/** A bare function has a name of its own. Some APIs put the tool's type beside it. */
function asTool(item: unknown): unknown {
  if (!isObject(item) || Object.hasOwn(item, "function") || !Object.hasOwn(item, "name")) return item;
  return {
    type: "function",
    function: Object.fromEntries(Object.entries(item).filter(([name]) => name !== "type")),
  };
}

/** The browser's own message, which mentions JSON and the position. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}.` : "This is not valid JSON.";

export const exampleTools = `[
  {
    "name": "get_weather",
    "description": "Current weather in a city",
    "parameters": {
      "type": "object",
      "properties": {
        "city": { "type": "string" }
      },
      "required": ["city"],
      "additionalProperties": false
    },
    "strict": true
  }
]`;
