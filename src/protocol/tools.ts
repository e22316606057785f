/**
 * `tools` and `tool_choice`, as far as the APIs agree: how a tool is described, how many there may be, and what a
 * choice among them means. Where each API keeps the fields is in its own `tools.ts`.
 */
import type { Tool, Tooling } from "../core/chat/request.js";
import type { ServiceError } from "../core/errors.js";
import type { JsonObject, Reader } from "./read-json.js";
import * as json from "./read-json.js";
import { excessOf } from "./schema-budget.js";

/** OpenAI's own bound. */
const maxTools = 128;

export interface ToolChoice {
  mode: "none" | "auto" | "required";
  /** The only tools that may be called; undefined: all. */
  names?: readonly NamedPlace[];
  /** Whether the choice is one tool by its name, which is then called exactly once. */
  isNamed?: boolean;
}

/** A tool's name, and where the client wrote it. */
interface NamedPlace {
  name: string;
  path: string;
}

export const anyTool: ToolChoice = { mode: "auto" };

/** Undefined where nothing can be called. Throws where the choice does not fit the tools. */
export function resolveTooling(
  tools: readonly Tool[],
  { mode, names, isNamed = false }: ToolChoice,
  parallel: boolean,
): Tooling | undefined {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = names?.find(({ name }) => !known.has(name));
  if (unknown !== undefined && (isNamed || tools.length > 0)) {
    // By its position: the name is the client's own text.
    throw json.invalidValue(unknown.path, "there is no such tool in 'tools'");
  }
  if (mode === "none") return undefined;
  const allowed =
    names === undefined
      ? tools
      : tools
          .map((tool, position) => ({ position, ...tool }))
          .filter(({ name }) => names.some((one) => one.name === name));
  if (allowed.length > 0) return { tools: allowed, choice: mode, parallel: parallel && !isNamed };
  if (mode === "auto") return undefined;
  const message = "'tool_choice' asks for a call, but there are no 'tools' to call.";
  throw json.refusal("invalid_value", "tool_choice", message);
}

/** Throws where there are too many, or where they are too large together. */
export function withinBounds<T extends Tool>(tools: readonly T[], path: string): readonly T[] {
  json.atMost(maxTools, tools, path);
  const excess = excessOf(tools.map(({ parameters }) => parameters ?? null));
  if (excess === null) return tools;
  throw json.invalidValue(path, `the schemas of the parameters are too large: of all together, ${excess}`);
}

export const functionTool = (fields: JsonObject, path: string): Tool => ({
  name: json.required(fields, "name", functionName, path),
  description: json.optional(fields, "description", json.string, path),
  parameters: json.optional(fields, "parameters", json.object, path),
  strict: json.optional(fields, "strict", json.boolean, path) ?? false,
});

export const nameUpTo =
  (length: number): Reader<string> =>
  (value, path) => {
    const name = json.string(value, path);
    if (/^[a-zA-Z0-9_-]+$/.test(name) && name.length <= length) return name;
    throw json.invalidValue(path, `expected 1 to ${length} letters, digits, underscores and dashes`);
  };

export const functionName = nameUpTo(64);

/** Where OpenAI's two APIs have what a `tool_choice` names. */
export interface ChoiceFields {
  /** A function of which the type is known. */
  named: (fields: JsonObject, path: string) => NamedPlace;
  /** The object with the `mode` and the `tools` of `allowed_tools`. */
  allowed: (fields: JsonObject, path: string) => readonly [fields: JsonObject, path: string];
  /** Whether one of these is a function. May refuse others. */
  isFunction: (fields: JsonObject, path: string) => boolean;
  refusedType: (path: string) => ServiceError;
}

export const choiceReader =
  ({ named, allowed, isFunction, refusedType }: ChoiceFields): Reader<ToolChoice> =>
  (value, path) => {
    if (typeof value === "string") return { mode: choiceMode(value, path) };
    if (!json.isObject(value)) throw json.wrongType(path, "a string or an object", value);
    switch (json.required(value, "type", json.string, path)) {
      case "function":
        return { mode: "required", names: [named(value, path)], isNamed: true };
      case "allowed_tools": {
        const [fields, place] = allowed(value, path);
        const tools = json.required(fields, "tools", json.array, place);
        const names = json
          .each(tools, `${place}.tools`, (item, at) => [json.object(item, at), at] as const)
          .filter(([item, at]) => isFunction(item, at))
          .map(([item, at]) => named(item, at));
        return { mode: json.required(fields, "mode", choiceMode, place), names };
      }
      default:
        throw refusedType(`${path}.type`);
    }
  };

const choiceMode = json.oneOf("none", "auto", "required");
