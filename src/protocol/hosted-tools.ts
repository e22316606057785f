/**
 * Tools that the client does not describe: those that the service itself would have to run (a web search, an
 * interpreter) and those that only the models of another service know (a shell, a patch). None can be called here. To
 * ignore them silently would mean an invented answer where a search was switched on, so they are refused. Coding
 * clients that send one with every request have them skipped and named in a header (src/http/api/hosted-tools.ts).
 */
import type { ServiceError } from "../core/errors.js";
import * as json from "./read-json.js";

const runByTheService = [
  "advisor",
  "code_execution",
  "code_interpreter",
  "file_search",
  "image_generation",
  "programmatic_tool_calling",
  "tool_search",
  "web_fetch",
  "web_search",
] as const;
const knownToOtherModels = [
  "apply_patch",
  "bash",
  "computer",
  "local_shell",
  "memory",
  "shell",
  "text_editor",
] as const;

/** A closed set: what a client calls a type of its own is never repeated. */
type HostedType =
  (typeof runByTheService)[number] | (typeof knownToOtherModels)[number] | "mcp" | "custom" | "other";

export interface HostedTool {
  type: HostedType;
  path: string;
  /** How this API describes a function, for the error. */
  instead: string;
}

const known: readonly HostedType[] = [...runByTheService, ...knownToOtherModels, "mcp", "custom"];

/**
 * Types carry versions: `web_search_20250305`, `web_search_preview_2025_03_11`, `computer_use_preview`,
 * `tool_search_tool_regex_20251119`.
 */
export function hostedTool(type: string, path: string, instead: string): HostedTool {
  const fits = (name: string) => type === name || type.startsWith(`${name}_`);
  return { type: known.find(fits) ?? "other", path, instead };
}

export function hostedRefusal({ type, path, instead }: HostedTool): ServiceError {
  const named = type === "other" ? "tools of this type" : `'${type}' tools`;
  return json.unsupportedValue(`${path}.type`, `${named} are not supported. ${adviceFor(type, instead)}`);
}

function adviceFor(type: HostedType, instead: string): string {
  if (type === "mcp") {
    return `This service connects to no MCP servers: connect the client to the server, and offer each of its tools as ${instead}`;
  }
  if (type === "custom") return `Offer ${instead} with a string parameter for the text`;
  if (isOneOf(knownToOtherModels, type)) {
    return `Only models of another service know them: describe the tool as ${instead}`;
  }
  return `This service runs no tools of its own: leave it out, or offer ${instead} that the client runs`;
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);
