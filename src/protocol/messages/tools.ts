/**
 * `tools` and `tool_choice`: what a reply may call, and whether it must. Tools that run on that API's own servers, or
 * that its models were trained on (`web_search_…`, `bash_…`), have no schema that another model could follow. They are
 * told apart: whether they are refused depends on the client.
 */
import type { Tool, Tooling } from "../chat.js";
import { ServiceError } from "../errors.js";
import { hostedTool, type HostedTool } from "../responses/hosted-tools.js";
import {
  array,
  atMost,
  boolean,
  isObject,
  object,
  optional,
  required,
  string,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { excessOf } from "../schema-budget.js";

const maxTools = 128;

/** Undefined where nothing can be called: no tools, or `tool_choice` of type `none`. */
export function readTooling(body: JsonObject): Tooling | undefined {
  const tools = optional(body, "tools", toolList) ?? [];
  const { mode, name, parallel } = optional(body, "tool_choice", choice) ?? anyOrNone;
  if (name !== undefined && !tools.some((tool) => tool.name === name)) {
    throw new ServiceError("invalid_value", {
      message: "Invalid value for 'tool_choice.name': there is no such tool in 'tools'.",
      param: "tool_choice.name",
    });
  }
  if (mode === "required" && tools.length === 0) {
    throw new ServiceError("invalid_value", {
      message: "'tool_choice' asks for a call, but there are no 'tools' to call.",
      param: "tool_choice",
    });
  }
  if (mode === "none" || tools.length === 0) return undefined;
  const callable = name === undefined ? tools : tools.filter((tool) => tool.name === name);
  return { tools: callable, choice: mode, parallel };
}

/** Those that `readTooling` leaves out. */
export const hostedTools = (body: unknown): HostedTool[] =>
  (isObject(body) ? (optional(body, "tools", array) ?? []) : []).flatMap((item, index) => {
    const path = `tools[${index}]`;
    const type = typeOf(object(item, path), path);
    return type === ownType ? [] : [hostedTool(type, path, "a tool with 'name' and 'input_schema'")];
  });

const ownType = "custom";
const typeOf = (fields: JsonObject, path: string): string =>
  optional(fields, "type", string, path) ?? ownType;

const toolList: Reader<Tool[]> = (value, path) => {
  const items = atMost(maxTools, array(value, path), path);
  const tools = items.flatMap((item, index) => tool(item, `${path}[${index}]`));
  const excess = excessOf(tools.map(({ parameters }) => parameters ?? null));
  if (excess === null) return tools;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': the input schemas are too large: of all together, ${excess}.`,
    param: path,
  });
};

const tool: Reader<Tool[]> = (value, path) => {
  const fields = object(value, path);
  if (typeOf(fields, path) !== ownType) return [];
  return [
    {
      name: required(fields, "name", toolName, path),
      description: optional(fields, "description", string, path),
      parameters: required(fields, "input_schema", object, path),
      strict: optional(fields, "strict", boolean, path) ?? false,
    },
  ];
};

export const toolName: Reader<string> = (value, path) => {
  const name = string(value, path);
  if (/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return name;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': expected 1 to 128 letters, digits, underscores and dashes.`,
    param: path,
  });
};

interface Choice {
  mode: "none" | "auto" | "required";
  /** The only tool that may be called; undefined: all. */
  name?: string;
  parallel: boolean;
}

const anyOrNone: Choice = { mode: "auto", parallel: true };

const choice: Reader<Choice> = (value, path) => {
  const fields = object(value, path);
  const parallel = !(optional(fields, "disable_parallel_tool_use", boolean, path) ?? false);
  switch (required(fields, "type", string, path)) {
    case "auto":
      return { mode: "auto", parallel };
    case "any":
      return { mode: "required", parallel };
    case "tool":
      // One that is named is called exactly once.
      return { mode: "required", name: required(fields, "name", string, path), parallel: false };
    case "none":
      return { mode: "none", parallel };
    default:
      throw new ServiceError("invalid_value", {
        message: `Invalid value for '${path}.type': expected one of 'auto', 'any', 'tool' and 'none'.`,
        param: `${path}.type`,
      });
  }
};
