/**
 * `tools`, `tool_choice` and `parallel_tool_calls`. Tools that the service itself would have to run (a web search, a
 * shell) and those with free text for arguments are skipped: clients offer them to every service alike.
 */
import type { Tool, Tooling } from "../chat.js";
import {
  anyTool,
  boundedTools,
  choiceMode,
  functionName,
  toolingOf,
  type NamedPlace,
  type ToolChoice,
} from "../chat-completions/tools.js";
import { ServiceError } from "../errors.js";
import {
  array,
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

export interface FlatTooling {
  tooling: Tooling | undefined;
  /** As the reply repeats them. */
  echo: JsonObject;
}

export function readFlatTooling(body: JsonObject): FlatTooling {
  const tools = optional(body, "tools", toolList) ?? [];
  const chosen = optional(body, "tool_choice", choice) ?? { ...anyTool, wire: "auto" };
  const parallel = optional(body, "parallel_tool_calls", boolean) ?? true;
  return {
    tooling: toolingOf(tools, chosen, parallel),
    echo: { tools: tools.map(wireTool), tool_choice: chosen.wire, parallel_tool_calls: parallel },
  };
}

const toolList: Reader<readonly Tool[]> = (value, path) => {
  const items = array(value, path).map((item, index) => [item, `${path}[${index}]`] as const);
  const functions = items.filter(([item, place]) => isFunction(object(item, place), place));
  const tools = boundedTools(functions, tool, path);
  if (functions.length === items.length) return tools;
  const positions = functions.map((entry) => items.indexOf(entry));
  return tools.map((read, index) => ({ ...read, position: positions[index] ?? index }));
};

const isFunction = (fields: JsonObject, path: string): boolean =>
  required(fields, "type", string, path) === "function";

const tool: Reader<Tool> = (value, path) => {
  const fields = object(value, path);
  return {
    name: required(fields, "name", functionName, path),
    description: optional(fields, "description", string, path),
    parameters: optional(fields, "parameters", object, path),
    strict: optional(fields, "strict", boolean, path) ?? false,
  };
};

const wireTool = ({ name, description, parameters, strict }: Tool): JsonObject => ({
  type: "function",
  name,
  description: description ?? null,
  parameters: parameters ?? null,
  strict,
});

interface WrittenChoice extends ToolChoice {
  /** As the reply repeats it. */
  wire: unknown;
}

const choice: Reader<WrittenChoice> = (value, path) => {
  if (typeof value === "string") {
    const mode = choiceMode(value, path);
    return { mode, names: undefined, wire: mode };
  }
  if (!isObject(value)) throw wrongType(path, "a string or an object", value);
  switch (required(value, "type", string, path)) {
    case "function": {
      const named = functionNamed(value, path);
      const wire = { type: "function", name: named.name };
      return { mode: "required", names: [named], isNamed: true, wire };
    }
    case "allowed_tools":
      return allowedTools(value, path);
    default:
      // To go on without it would be a reply of another kind than the one asked for.
      throw new ServiceError("unsupported_value", {
        message: `Unsupported value for '${path}.type': this service runs no tools of its own. Expected 'function' or 'allowed_tools'.`,
        param: `${path}.type`,
      });
  }
};

function allowedTools(fields: JsonObject, path: string): WrittenChoice {
  const names = required(fields, "tools", array, path)
    .map((item, index) => [object(item, `${path}.tools[${index}]`), `${path}.tools[${index}]`] as const)
    .filter(([item, place]) => isFunction(item, place))
    .map(([item, place]) => functionNamed(item, place));
  const mode = required(fields, "mode", choiceMode, path);
  const tools = names.map(({ name }) => ({ type: "function", name }));
  return { mode, names, wire: { type: "allowed_tools", mode, tools } };
}

const functionNamed = (fields: JsonObject, path: string): NamedPlace => ({
  name: required(fields, "name", functionName, path),
  path: `${path}.name`,
});
