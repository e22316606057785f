/** What grammars are compiled from, as it is sent to the thread that compiles them. */
import type { ReplyFormat, Tooling } from "../../protocol/chat.js";
import type { CallGrammarOptions } from "./replies/call-grammar.js";
import { callGrammar } from "./replies/call-grammar.js";
import type { ReplySyntax } from "./replies/reply-syntax.js";
import { objectGrammar, schemaGrammar } from "./json-schema/compile.js";
import { isSchemaObject, SchemaError, type Path } from "./json-schema/schema.js";

type Format = Exclude<ReplyFormat, { type: "text" }>;

export type GrammarRequest =
  | { type: "format"; format: Format; syntax: ReplySyntax; reasoning: CallGrammarOptions["reasoning"] }
  | {
      type: "calls";
      tooling: Tooling;
      /** What a reply without calls must be. */
      format: ReplyFormat;
      syntax: ReplySyntax;
      reasoning: CallGrammarOptions["reasoning"];
    };

/** Throws `SchemaError`, whose path begins with the place of the schema in the request. */
export function grammarFor(request: GrammarRequest): string {
  const { syntax, reasoning } = request;
  const format = formatGrammar(request.format);
  if (request.type === "format") {
    return callGrammar(syntax, [], { from: "start", parallel: false, reasoning, otherwise: format });
  }
  const { tools, choice, parallel } = request.tooling;
  const isHeld = choice === "required" || format !== undefined || syntax.type === "generic";
  return callGrammar(
    syntax,
    tools.map(({ name, parameters, strict }, index) => ({
      name,
      argumentsGrammar: argumentsGrammar(parameters, strict, ["tools", index, "function", "parameters"]),
    })),
    {
      from: isHeld ? "start" : "trigger",
      parallel,
      reasoning,
      ...(choice === "required" ? {} : { otherwise: format ?? "text" }),
    },
  );
}
