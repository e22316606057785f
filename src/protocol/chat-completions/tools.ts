/** `tools`, `tool_choice` and `parallel_tool_calls`: what a reply may call, and whether it must. */
import type { Tool, Tooling } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { anyTool, choiceReader, functionName, functionTool, resolveTooling, withinBounds } from "../tools.js";

/** Undefined where nothing can be called: no tools, or `tool_choice: "none"`. */
export function readTooling(body: JsonObject): Tooling | undefined {
  const tools = json.optional(body, "tools", toolList) ?? [];
  const chosen = json.optional(body, "tool_choice", choice) ?? anyTool;
  return resolveTooling(tools, chosen, json.optional(body, "parallel_tool_calls", json.boolean) ?? true);
}

const toolList: Reader<readonly Tool[]> = (value, path) =>
  withinBounds(json.each(json.array(value, path), path, tool), path);

const tool: Reader<Tool> = (value, path) => {
  const fields = json.object(value, path);
  requireFunctionType(fields, path);
  return functionTool(json.required(fields, "function", json.object, path), `${path}.function`);
};

export function requireFunctionType(fields: JsonObject, path: string): void {
  if (json.required(fields, "type", json.string, path) === "function") return;
  throw json.invalidValue(`${path}.type`, "expected 'function'");
}

const choice = choiceReader({
  named: (fields, path) => ({
    name: json.required(
      json.required(fields, "function", json.object, path),
      "name",
      functionName,
      `${path}.function`,
    ),
    path: `${path}.function.name`,
  }),
  allowed: (fields, path) => [
    json.required(fields, "allowed_tools", json.object, path),
    `${path}.allowed_tools`,
  ],
  isFunction: (fields, path) => {
    requireFunctionType(fields, path);
    return true;
  },
  refusedType: (path) => json.invalidValue(path, "expected one of 'function' and 'allowed_tools'"),
});
