/** `tools`, `tool_choice` and `parallel_tool_calls`: what a reply may call, and whether it must. */
import type { Tool, Tooling } from "../../core/chat/request.js";
import {
  array,
  boolean,
  invalidValue,
  object,
  optional,
  required,
  string,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { anyTool, choiceReader, functionName, functionTool, resolveTooling, withinBounds } from "../tools.js";

/** Undefined where nothing can be called: no tools, or `tool_choice: "none"`. */
export function readTooling(body: JsonObject): Tooling | undefined {
  const tools = optional(body, "tools", toolList) ?? [];
  const chosen = optional(body, "tool_choice", choice) ?? anyTool;
  return resolveTooling(tools, chosen, optional(body, "parallel_tool_calls", boolean) ?? true);
}

const toolList: Reader<readonly Tool[]> = (value, path) =>
  withinBounds(
    array(value, path).map((item, index) => tool(item, `${path}[${index}]`)),
    path,
  );

const tool: Reader<Tool> = (value, path) => {
  const fields = object(value, path);
  requireFunctionType(fields, path);
  return functionTool(required(fields, "function", object, path), `${path}.function`);
};

export function requireFunctionType(fields: JsonObject, path: string): void {
  if (required(fields, "type", string, path) === "function") return;
  throw invalidValue(`${path}.type`, "expected 'function'");
}

const choice = choiceReader({
  named: (fields, path) => ({
    name: required(required(fields, "function", object, path), "name", functionName, `${path}.function`),
    path: `${path}.function.name`,
  }),
  allowed: (fields, path) => [required(fields, "allowed_tools", object, path), `${path}.allowed_tools`],
  isFunction: (fields, path) => {
    requireFunctionType(fields, path);
    return true;
  },
  refusedType: (path) => invalidValue(path, "expected one of 'function' and 'allowed_tools'"),
});
