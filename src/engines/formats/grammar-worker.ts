/** A thread that compiles JSON schemas to grammars, one at a time. It keeps nothing between two of them. */
import { performTasks } from "../../adapters/worker-tasks.js";
import { schemaGrammar } from "./json-schema/compile.js";
import { isSchemaObject, SchemaError, type Path } from "./json-schema/schema.js";
import { callsGrammar, ToolSchemaError } from "./calls-request.js";
import { readText, type ToCompile } from "./schema-text.js";

export type Compiled =
  | { type: "grammar"; gbnf: string }
  /** `tool`: whose schema it is, by its place in the request; undefined for that of the format. */
  | { type: "refused"; tool?: number; path: Path; reason: string }
  /** A bug in the compiler. */
  | { type: "failed" };

performTasks(compile);

function compile(text: string): Compiled {
  try {
    return { type: "grammar", gbnf: grammarOf(readText(text)) };
  } catch (error) {
    if (error instanceof ToolSchemaError) {
      return { type: "refused", tool: error.tool, path: error.path, reason: error.reason };
    }
    // Any other error may quote the schema, so nothing of it is passed on.
    if (!(error instanceof SchemaError)) return { type: "failed" };
    return { type: "refused", path: error.path, reason: error.reason };
  }
}

function grammarOf(wanted: ToCompile): string {
  if (wanted.type === "calls") return callsGrammar(wanted.request);
  if (!isSchemaObject(wanted.schema)) throw new Error("A schema is an object.");
  return schemaGrammar(wanted.schema, { strict: wanted.strict });
}
