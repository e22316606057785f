/**
 * `tools` and `tool_choice`: what a reply may call, and whether it must. Tools that run on that API's own servers, or
 * that its models were trained on (`web_search_…`, `bash_…`), have no schema that another model could follow. They are
 * listed apart: whether they are refused depends on the client.
 */
import type { Tool, Tooling } from "../../core/chat/request.js";
import {
  array,
  boolean,
  object,
  oneOf,
  optional,
  required,
  string,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { hostedTool, type HostedTool } from "../hosted-tools.js";
import { anyTool, nameUpTo, resolveTooling, withinBounds, type ToolChoice } from "../tools.js";

interface ToolList {
  tools: readonly Tool[];
  hosted: readonly HostedTool[];
}

/** The tooling is undefined where nothing can be called: no tools, or `tool_choice` of type `none`. */
export function readTooling(body: JsonObject): {
  tooling: Tooling | undefined;
  hosted: readonly HostedTool[];
} {
  const { tools, hosted } = optional(body, "tools", toolList) ?? { tools: [], hosted: [] };
  const { parallel, ...chosen } = optional(body, "tool_choice", choice) ?? { ...anyTool, parallel: true };
  return { tooling: resolveTooling(tools, chosen, parallel), hosted };
}

const toolList: Reader<ToolList> = (value, path) => {
  const tools: Tool[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, item] of array(value, path).entries()) {
    const place = `${path}[${index}]`;
    const fields = object(item, place);
    const type = optional(fields, "type", string, place) ?? "custom";
    if (type === "custom") tools.push(tool(fields, place));
    else hosted.push(hostedTool(type, place, "a tool with 'name' and 'input_schema'"));
  }
  return { tools: withinBounds(tools, path), hosted };
};

const tool = (fields: JsonObject, path: string): Tool => ({
  name: required(fields, "name", toolName, path),
  description: optional(fields, "description", string, path),
  parameters: required(fields, "input_schema", object, path),
  strict: optional(fields, "strict", boolean, path) ?? false,
});

export const toolName = nameUpTo(128);

const choice: Reader<ToolChoice & { parallel: boolean }> = (value, path) => {
  const fields = object(value, path);
  const parallel = !(optional(fields, "disable_parallel_tool_use", boolean, path) ?? false);
  switch (required(fields, "type", choiceType, path)) {
    case "auto":
      return { mode: "auto", parallel };
    case "any":
      return { mode: "required", parallel };
    case "tool": {
      const named = { name: required(fields, "name", string, path), path: `${path}.name` };
      return { mode: "required", names: [named], isNamed: true, parallel };
    }
    case "none":
      return { mode: "none", parallel };
  }
};

const choiceType = oneOf("auto", "any", "tool", "none");
