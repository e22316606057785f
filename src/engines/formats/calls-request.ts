/** What a grammar for calls is compiled from, as it is sent to the thread that compiles it. */
import type { ReplyFormat, Tool, Tooling } from "../../core/chat/request.js";
import { objectGrammar, schemaGrammar } from "./json-schema/compile.js";
import { SchemaError, type Path } from "./json-schema/schema.js";
import { callGrammar } from "./replies/call-grammar.js";
import type { GrammarTool } from "./replies/grammar/call-rules.js";
import { oneOf, withPrefix } from "./replies/grammar/gbnf-text.js";
import { harmonyGrammar } from "./replies/grammar/harmony-grammar.js";
import { taggedParameters } from "./replies/grammar/tagged-parameters.js";
import type { ReplySyntax } from "./replies/reply-syntax.js";

export interface CallsRequest {
  syntax: ReplySyntax;
  tooling: Tooling;
  /** What a reply without calls must be. */
  format: ReplyFormat;
}

/** A tool's schema that cannot be followed, by the tool's place in the request. */
export class ToolSchemaError extends Error {
  constructor(
    readonly tool: number,
    readonly path: Path,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** Whether the grammar holds from the first token; if not, from the first call on. */
export const holdsFromStart = ({ syntax, tooling, format }: CallsRequest): boolean =>
  syntax.type === "generic" || tooling.choice === "required" || format.type !== "text";

/** Without the thoughts that may come before, but for those of gpt-oss. Throws `SchemaError` for the format and `ToolSchemaError` for a tool. */
export function callsGrammar(request: CallsRequest): string {
  const { syntax, tooling, format } = request;
  const tools = tooling.tools.map((tool, index) =>
    grammarTool(tool, index, syntax, tooling.choice === "required"),
  );
  const mayReply = tooling.choice === "auto";
  const reply = mayReply ? formatGrammar(format) : undefined;
  // Our own format, "from a trigger", is a reply or calls.
  const isFree = syntax.type === "generic" && mayReply && format.type === "text";
  const from = holdsFromStart(request) && !isFree ? "start" : "trigger";
  if (syntax.type === "harmony") return harmonyGrammar(tools, { from, reasoning: "allowed", reply });
  const calls = callGrammar(syntax, tools, { parallel: tooling.parallel, from, reasoning: "none" });
  if (reply === undefined) return calls;
  return [
    `root ::= ${oneOf(["calls-root", "reply-root"])}`,
    withPrefix(calls, "calls-"),
    withPrefix(reply, "reply-"),
  ].join("\n");
}

function formatGrammar(format: ReplyFormat): string | undefined {
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return objectGrammar();
    case "json_schema":
      return schemaGrammar(format.schema, { strict: format.strict ?? false });
  }
}

function grammarTool(tool: Tool, index: number, syntax: ReplySyntax, isRequired: boolean): GrammarTool {
  const { name, parameters, strict } = tool;
  if (parameters === undefined) return { name, argumentsGrammar: objectGrammar() };
  try {
    const argumentsGrammar = schemaGrammar(parameters, { strict });
    if (syntax.type !== "marked" || syntax.calls?.payload.type !== "tagged")
      return { name, argumentsGrammar };
    const compile = (schema: Readonly<Record<string, unknown>>) => schemaGrammar(schema, { strict });
    return {
      name,
      argumentsGrammar,
      taggedParameters: taggedParameters(parameters, { compile, exact: strict || isRequired }),
    };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    if (strict) throw new ToolSchemaError(tool.position ?? index, error.path, error.reason);
    // The model has read the schema: it is asked to follow it, not held to.
    return { name, argumentsGrammar: objectGrammar() };
  }
}
