/**
 * `tools`, `tool_choice` and `parallel_tool_calls`. Functions stand in the list or in a namespace of it. What else
 * stands there cannot be called here, and is told apart: whether it is refused depends on the client.
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
import { hostedTool, type HostedTool } from "./hosted-tools.js";
import {
  array,
  boolean,
  isObject,
  nonEmptyString,
  object,
  optional,
  required,
  string,
  wrongType,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { nameCalls, nameInPrompt, type CallName } from "./namespaces.js";

export interface FlatTooling {
  tooling: Tooling | undefined;
  /** Of the functions in namespaces. */
  callNames: readonly CallName[];
  hosted: readonly HostedTool[];
  /** As the reply repeats them. */
  echo: JsonObject;
}

export function readFlatTooling(body: JsonObject): FlatTooling {
  const { tools, callNames, hosted, wire } = optional(body, "tools", toolList) ?? noTools;
  const chosen = optional(body, "tool_choice", choiceOf(callNames)) ?? { ...anyTool, wire: "auto" };
  const parallel = optional(body, "parallel_tool_calls", boolean) ?? true;
  return {
    tooling: toolingOf(tools, chosen, parallel),
    callNames,
    hosted,
    echo: { tools: wire, tool_choice: chosen.wire, parallel_tool_calls: parallel },
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

/** A function where it was found. */
interface Found {
  item: JsonObject;
  path: string;
  /** Undefined where it stands in the list itself. */
  namespace: Namespace | undefined;
}

interface Offered extends Tool {
  namespace: Namespace | undefined;
}

const ownTool = "a tool of type 'function'";

const toolList: Reader<ToolList> = (value, path) => {
  const hosted: HostedTool[] = [];
  const found = array(value, path).flatMap((item, position) => {
    const functions = functionsIn(item, `${path}[${position}]`, hosted);
    return functions.map((one) => [{ ...one, position }, one.path] as const);
  });
  const offered = boundedTools(
    found,
    ({ item, position, namespace }, place): Offered => ({ ...tool(item, place), position, namespace }),
    path,
  );
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
const functionsIn = (value: unknown, path: string, hosted: HostedTool[], namespace?: Namespace): Found[] => {
  const item = object(value, path);
  const type = required(item, "type", string, path);
  if (type === "function") return [{ item, path, namespace }];
  if (type !== "namespace" || namespace !== undefined) {
    hosted.push(hostedTool(type, path, ownTool));
    return [];
  }
  const opened = {
    name: required(item, "name", nonEmptyString, path),
    description: optional(item, "description", string, path),
  };
  return required(item, "tools", array, path).flatMap((inner, index) =>
    functionsIn(inner, `${path}.tools[${index}]`, hosted, opened),
  );
};

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

interface WrittenChoice extends ToolChoice {
  /** As the reply repeats it. */
  wire: unknown;
}

const choiceOf =
  (callNames: readonly CallName[]): Reader<WrittenChoice> =>
  (value, path) => {
    if (typeof value === "string") {
      const mode = choiceMode(value, path);
      return { mode, names: undefined, wire: mode };
    }
    if (!isObject(value)) throw wrongType(path, "a string or an object", value);
    switch (required(value, "type", string, path)) {
      case "function": {
        const { place, wire } = functionNamed(value, path, callNames);
        return { mode: "required", names: [place], isNamed: true, wire };
      }
      case "allowed_tools":
        return allowedTools(value, path, callNames);
      default:
        // To go on without it would be a reply of another kind than the one asked for.
        throw new ServiceError("unsupported_value", {
          message: `Unsupported value for '${path}.type': this service runs no tools of its own. Expected 'function' or 'allowed_tools'.`,
          param: `${path}.type`,
        });
    }
  };

function allowedTools(fields: JsonObject, path: string, callNames: readonly CallName[]): WrittenChoice {
  const named = required(fields, "tools", array, path)
    .map((item, index) => [object(item, `${path}.tools[${index}]`), `${path}.tools[${index}]`] as const)
    .filter(([item, place]) => required(item, "type", string, place) === "function")
    .map(([item, place]) => functionNamed(item, place, callNames));
  const mode = required(fields, "mode", choiceMode, path);
  const names = named.map(({ place }) => place);
  return { mode, names, wire: { type: "allowed_tools", mode, tools: named.map(({ wire }) => wire) } };
}

function functionNamed(
  fields: JsonObject,
  path: string,
  callNames: readonly CallName[],
): { place: NamedPlace; wire: JsonObject } {
  const name = required(fields, "name", functionName, path);
  const namespace = optional(fields, "namespace", nonEmptyString, path);
  const called = namespace === undefined ? name : nameInPrompt(callNames, namespace, name);
  return {
    place: { name: called, path: `${path}.name` },
    wire: { type: "function", name, ...(namespace === undefined ? {} : { namespace }) },
  };
}
