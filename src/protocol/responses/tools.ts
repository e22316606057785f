/**
 * `tools`, `tool_choice` and `parallel_tool_calls`. Functions are in the list or in a namespace of it. Whatever
 * else is there cannot be called here and is listed apart: whether it is refused depends on the client.
 */
import type { Tool, Tooling } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import {
  anyTool,
  choiceReader,
  functionName,
  functionTool,
  resolveTooling,
  withinBounds,
  type ToolChoice,
} from "../tools.js";
import { hostedTool, type HostedTool } from "../hosted-tools.js";
import { nameCalls, nameInPrompt, nameOnWire, type CallName } from "./namespaces.js";

export interface FlatTooling {
  tooling: Tooling | undefined;
  /** Of the functions in namespaces. */
  callNames: readonly CallName[];
  hosted: readonly HostedTool[];
  /** As the reply repeats them. */
  echo: JsonObject;
}

export function readFlatTooling(body: JsonObject): FlatTooling {
  const { tools, callNames, hosted, wire } = json.optional(body, "tools", toolList) ?? noTools;
  const chosen = json.optional(body, "tool_choice", choiceOf(callNames)) ?? anyTool;
  const parallel = json.optional(body, "parallel_tool_calls", json.boolean) ?? true;
  return {
    tooling: resolveTooling(tools, chosen, parallel),
    callNames,
    hosted,
    echo: { tools: wire, tool_choice: wireChoice(chosen, callNames), parallel_tool_calls: parallel },
  };
}

interface ToolList {
  tools: readonly Tool[];
  callNames: readonly CallName[];
  hosted: readonly HostedTool[];
  wire: readonly JsonObject[];
}

const noTools: ToolList = { tools: [], callNames: [], hosted: [], wire: [] };

interface Namespace {
  name: string;
  description: string | undefined;
}

interface Offered extends Tool {
  /** Undefined for a function that is in the list itself. */
  namespace: Namespace | undefined;
}

const ownTool = "a tool of type 'function'";

const toolList: Reader<ToolList> = (value, path) => {
  const hosted: HostedTool[] = [];
  const offered = json
    .array(value, path)
    .flatMap((item, position) =>
      functionsIn(item, `${path}[${position}]`, hosted).map((tool): Offered => ({ ...tool, position })),
    );
  withinBounds(offered, path);
  const inNamespaces = offered.flatMap(({ name, namespace }) =>
    namespace === undefined ? [] : [{ namespace: namespace.name, name }],
  );
  const flat = offered.filter(({ namespace }) => namespace === undefined).map(({ name }) => name);
  const callNames = nameCalls(inNamespaces, flat);
  const tools = offered.map(({ namespace, ...one }) =>
    namespace === undefined ? one : { ...one, name: nameInPrompt(callNames, namespace.name, one.name) },
  );
  return { tools, callNames, hosted, wire: wireTools(offered) };
};

/** Whatever else is there is added to `hosted`. */
const functionsIn = (
  value: unknown,
  path: string,
  hosted: HostedTool[],
  namespace?: Namespace,
): Offered[] => {
  const item = json.object(value, path);
  const type = json.required(item, "type", json.string, path);
  if (type === "function") return [{ ...functionTool(item, path), namespace }];
  if (type !== "namespace" || namespace !== undefined) {
    hosted.push(hostedTool(type, path, ownTool));
    return [];
  }
  const opened = {
    name: json.required(item, "name", json.nonEmptyString, path),
    description: json.optional(item, "description", json.string, path),
  };
  return json
    .required(item, "tools", json.array, path)
    .flatMap((inner, index) => functionsIn(inner, `${path}.tools[${index}]`, hosted, opened));
};

const wireTool = ({ name, description, parameters, strict }: Tool): JsonObject => ({
  type: "function",
  name,
  description: description ?? null,
  parameters: parameters ?? null,
  strict,
});

function wireTools(offered: readonly Offered[]): JsonObject[] {
  const wire: JsonObject[] = [];
  const opened = new Map<Namespace, JsonObject[]>();
  for (const one of offered) {
    const inner = one.namespace && opened.get(one.namespace);
    if (one.namespace === undefined) wire.push(wireTool(one));
    else if (inner !== undefined) inner.push(wireTool(one));
    else {
      const { name, description = "" } = one.namespace;
      const tools = [wireTool(one)];
      opened.set(one.namespace, tools);
      wire.push({ type: "namespace", name, description, tools });
    }
  }
  return wire;
}

const choiceOf = (callNames: readonly CallName[]): Reader<ToolChoice> =>
  choiceReader({
    named: (fields, path) => {
      const name = json.required(fields, "name", functionName, path);
      const namespace = json.optional(fields, "namespace", json.nonEmptyString, path);
      const called = namespace === undefined ? name : nameInPrompt(callNames, namespace, name);
      return { name: called, path: `${path}.name` };
    },
    allowed: (fields, path) => [fields, path],
    isFunction: (fields, path) => json.required(fields, "type", json.string, path) === "function",
    // To go on without it would be a reply of another kind than the one asked for.
    refusedType: (path) =>
      json.unsupportedValue(
        path,
        "this service runs no tools of its own. Expected 'function' or 'allowed_tools'",
      ),
  });

function wireChoice({ mode, names, isNamed }: ToolChoice, callNames: readonly CallName[]): unknown {
  if (names === undefined) return mode;
  const tools = names.map(({ name }) => ({ type: "function", ...nameOnWire(callNames, name) }));
  return isNamed === true ? tools[0] : { type: "allowed_tools", mode, tools };
}
