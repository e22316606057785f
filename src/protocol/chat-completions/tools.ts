/** `tools`, `tool_choice` and `parallel_tool_calls`: what a reply may call, and whether it must. */
import type { Tool, Tooling } from "../chat.js";
import { ServiceError } from "../errors.js";
import {
  array,
  atMost,
  boolean,
  isObject,
  object,
  optional,
  required,
  string,
  wrongType,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { excessOf } from "../schema-budget.js";

/** OpenAI's own bound. */
const maxTools = 128;

/** Undefined where nothing can be called: no tools, or `tool_choice: "none"`. */
export function readTooling(body: JsonObject): Tooling | undefined {
  const tools = optional(body, "tools", toolList) ?? [];
  const chosen = optional(body, "tool_choice", choice) ?? anyTool;
  return toolingOf(tools, chosen, optional(body, "parallel_tool_calls", boolean) ?? true);
}

/** Throws where the choice does not fit the tools. */
export function toolingOf(
  tools: readonly Tool[],
  { mode, names, isNamed = false }: ToolChoice,
  parallel: boolean,
): Tooling | undefined {
  if (tools.length === 0) {
    if (mode === "required") throw nothingToCall();
    return undefined;
  }
  const known = new Set(tools.map(({ name }) => name));
  // By its position: the name is the client's own text.
  const stranger = names?.find(({ name }) => !known.has(name));
  if (stranger !== undefined) {
    throw new ServiceError("invalid_value", {
      message: `Invalid value for '${stranger.path}': there is no such function in 'tools'.`,
      param: stranger.path,
    });
  }
  if (mode === "none") return undefined;
  const allowed =
    names === undefined
      ? tools
      : tools
          .map((tool, position) => ({ position, ...tool }))
          .filter(({ name }) => names.some((one) => one.name === name));
  if (allowed.length > 0) return { tools: allowed, choice: mode, parallel: parallel && !isNamed };
  if (mode === "required") throw nothingToCall();
  return undefined;
}

const nothingToCall = (): ServiceError =>
  new ServiceError("invalid_value", {
    message: "'tool_choice' asks for a call, but there are no 'tools' to call.",
    param: "tool_choice",
  });

const toolList: Reader<readonly Tool[]> = (value, path) =>
  boundedTools(
    array(value, path).map((item, index) => [item, `${path}[${index}]`] as const),
    tool,
    path,
  );

/** Reads each where it was found; throws where they are too many, or too large together. */
export function boundedTools<Item, Read extends Tool>(
  items: readonly (readonly [item: Item, path: string])[],
  read: (item: Item, path: string) => Read,
  path: string,
): readonly Read[] {
  const tools = atMost(maxTools, items, path).map(([item, place]) => read(item, place));
  const excess = excessOf(tools.map(({ parameters }) => parameters ?? null));
  if (excess === null) return tools;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': the schemas of the parameters are too large: of all together, ${excess}.`,
    param: path,
  });
}

const tool: Reader<Tool> = (value, path) => {
  const fields = object(value, path);
  requireFunctionType(fields, path);
  const inner = `${path}.function`;
  const described = required(fields, "function", object, path);
  return {
    name: required(described, "name", functionName, inner),
    description: optional(described, "description", string, inner),
    parameters: optional(described, "parameters", object, inner),
    strict: optional(described, "strict", boolean, inner) ?? false,
  };
};

export const functionName: Reader<string> = (value, path) => {
  const name = string(value, path);
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': expected 1 to 64 letters, digits, underscores and dashes.`,
    param: path,
  });
};

export function requireFunctionType(fields: JsonObject, path: string): void {
  if (required(fields, "type", string, path) === "function") return;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}.type': expected 'function'.`,
    param: `${path}.type`,
  });
}

export interface NamedPlace {
  name: string;
  path: string;
}

export interface ToolChoice {
  mode: "none" | "auto" | "required";
  /** The only functions that may be called; undefined: all. */
  names: readonly NamedPlace[] | undefined;
  /** Whether the choice is one function by its name, which is then called exactly once. */
  isNamed?: boolean;
}

export const anyTool: ToolChoice = { mode: "auto", names: undefined };

const choice: Reader<ToolChoice> = (value, path) => {
  if (typeof value === "string") return { mode: choiceMode(value, path), names: undefined };
  if (!isObject(value)) throw wrongType(path, "a string or an object", value);
  switch (required(value, "type", string, path)) {
    case "function":
      return { mode: "required", names: [functionNamed(value, path)], isNamed: true };
    case "allowed_tools":
      return allowedTools(required(value, "allowed_tools", object, path), `${path}.allowed_tools`);
    default:
      throw new ServiceError("invalid_value", {
        message: `Invalid value for '${path}.type': expected one of 'function' and 'allowed_tools'.`,
        param: `${path}.type`,
      });
  }
};

export const choiceMode: Reader<ToolChoice["mode"]> = (value, path) => {
  const text = string(value, path);
  if (text === "none" || text === "auto" || text === "required") return text;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': expected one of 'none', 'auto' and 'required'.`,
    param: path,
  });
};

function allowedTools(fields: JsonObject, path: string): ToolChoice {
  const names = required(fields, "tools", array, path).map((item, index) => {
    const place = `${path}.tools[${index}]`;
    const one = object(item, place);
    requireFunctionType(one, place);
    return functionNamed(one, place);
  });
  return { mode: required(fields, "mode", choiceMode, path), names };
}

function functionNamed(fields: JsonObject, path: string): NamedPlace {
  const inner = `${path}.function`;
  const name = required(required(fields, "function", object, path), "name", functionName, inner);
  return { name, path: `${inner}.name` };
}
