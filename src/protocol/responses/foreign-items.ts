/**
 * Items of a history that began elsewhere: with another model, or with tools that another service ran. Calls that a
 * client answered are read as calls of functions, since what was asked and answered is text. What only that service can
 * read, or what it did on its own before it said what it found, is passed over.
 */
import type { ToolCall } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { output, type InputItem } from "./items.js";

const passedOver = new Set([
  "additional_tools",
  "code_interpreter_call",
  "compaction",
  "compaction_trigger",
  "computer_call",
  "computer_call_output",
  "configuration_update",
  "context_compaction",
  "file_search_call",
  "image_generation_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_list_tools",
  "program",
  "program_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
]);

/** Undefined for a type that is not known. */
export function readForeign(
  type: string,
  fields: JsonObject,
  path: string,
): readonly InputItem[] | undefined {
  const callId = () => json.required(fields, "call_id", json.nonEmptyString, path);
  switch (type) {
    case "custom_tool_call": {
      const [id, name] = [callId(), json.required(fields, "name", foreignName, path)];
      const made = call(id, name, { input: json.required(fields, "input", json.string, path) });
      return [{ ...made, namespace: json.optional(fields, "namespace", json.nonEmptyString, path) }];
    }
    case "custom_tool_call_output":
      return [output(fields, path)];
    case "local_shell_call":
      return [call(callId(), "local_shell", json.required(fields, "action", json.object, path))];
    case "local_shell_call_output":
      // The call's id is in `id` there.
      return [output({ call_id: fields.id, ...fields }, path)];
    case "shell_call":
      return [call(callId(), "shell", json.required(fields, "action", json.object, path))];
    case "shell_call_output":
      return [result(callId(), printed(json.required(fields, "output", json.array, path)))];
    case "apply_patch_call":
      return [call(callId(), "apply_patch", json.required(fields, "operation", json.object, path))];
    case "apply_patch_call_output":
      return [result(callId(), json.optional(fields, "output", json.string, path) ?? "")];
    case "mcp_call":
      return mcpCall(fields, path);
  }
  return passedOver.has(type) ? [] : undefined;
}

/** Other services allow more characters in names. The prompt must not take it for anything but a name. */
const foreignName: Reader<string> = (value, path) =>
  json
    .nonEmptyString(value, path)
    .replace(/[^a-zA-Z0-9_-]/g, "_")
    .slice(0, 64);

function call(id: string, name: string, input: JsonObject): InputItem & { type: "call" } {
  return { type: "call", call: { id, name, arguments: JSON.stringify(input) } };
}

const result = (callId: string, text: string): InputItem => ({ type: "output", callId, text });

/** What each command wrote, where it is text. */
const printed = (outputs: readonly unknown[]): string =>
  outputs
    .flatMap((output) => (json.isObject(output) ? [output.stdout, output.stderr] : []))
    .filter((text) => typeof text === "string" && text !== "")
    .join("\n");

/** Call and result in one. */
function mcpCall(fields: JsonObject, path: string): readonly InputItem[] {
  const toolCall: ToolCall = {
    id: json.required(fields, "id", json.nonEmptyString, path),
    name: json.required(fields, "name", foreignName, path),
    arguments: json.required(fields, "arguments", json.string, path),
  };
  const text = json.optional(fields, "output", json.string, path) ?? "";
  return [{ type: "call", call: toolCall }, result(toolCall.id, text)];
}
