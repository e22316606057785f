/**
 * `tools` and `tool_choice`: what a reply may call, and whether it must. Tools that run on that API's own servers, or
 * that its models were trained on (`web_search_…`, `bash_…`), have no schema that another model could follow. They are
 * listed apart: whether they are refused depends on the client.
 */
import type { Tool, Tooling } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
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
  const { tools, hosted } = json.optional(body, "tools", toolList) ?? { tools: [], hosted: [] };
  const { parallel, ...chosen } = json.optional(body, "tool_choice", choice) ?? {
    ...anyTool,
    parallel: true,
  };
  return { tooling: resolveTooling(tools, chosen, parallel), hosted };
}

const toolList: Reader<ToolList> = (value, path) => {
  const tools: Tool[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, item] of json.array(value, path).entries()) {
    const place = `${path}[${index}]`;
    const fields = json.object(item, place);
    const type = json.optional(fields, "type", json.string, place) ?? "custom";
    if (type === "custom") tools.push(tool(fields, place));
    else hosted.push(hostedTool(type, place, "a tool with 'name' and 'input_schema'"));
  }
  return { tools: withinBounds(tools, path), hosted };
};

const tool = (fields: JsonObject, path: string): Tool => ({
  name: json.required(fields, "name", toolName, path),
  description: json.optional(fields, "description", json.string, path),
  parameters: json.required(fields, "input_schema", json.object, path),
  strict: json.optional(fields, "strict", json.boolean, path) ?? false,
});

export const toolName = nameUpTo(128);

const choice: Reader<ToolChoice & { parallel: boolean }> = (value, path) => {
  const fields = json.object(value, path);
  const parallel = !(json.optional(fields, "disable_parallel_tool_use", json.boolean, path) ?? false);
  switch (json.required(fields, "type", choiceType, path)) {
    case "auto":
      return { mode: "auto", parallel };
    case "any":
      return { mode: "required", parallel };
    case "tool": {
      const named = { name: json.required(fields, "name", json.string, path), path: `${path}.name` };
      return { mode: "required", names: [named], isNamed: true, parallel };
    }
    case "none":
      return { mode: "none", parallel };
  }
};

const choiceType = json.oneOf("auto", "any", "tool", "none");
