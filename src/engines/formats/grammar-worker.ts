/** A thread that compiles JSON schemas to grammars, one at a time. It keeps nothing between two of them. */
import { parentPort } from "node:worker_threads";
import { schemaGrammar } from "./json-schema/compile.js";
import { isSchemaObject, SchemaError, type Path } from "./json-schema/schema.js";
import { readSchemaText } from "./schema-text.js";

export type Compiled =
  | { type: "grammar"; gbnf: string }
  | { type: "refused"; path: Path; reason: string }
  /** A bug of ours. */
  | { type: "failed" };

export type FromGrammarWorker = { type: "ready" } | Compiled;

const tell = (message: FromGrammarWorker): void => parentPort?.postMessage(message);

parentPort?.on("message", (schemaText: string) => {
  tell(compile(schemaText));
});
tell({ type: "ready" });

function compile(schemaText: string): Compiled {
  try {
    const { schema, strict } = readSchemaText(schemaText);
    if (!isSchemaObject(schema)) return { type: "failed" };
    return { type: "grammar", gbnf: schemaGrammar(schema, { strict }) };
  } catch (error) {
    // What else is thrown may quote the schema: nothing of it is told.
    if (!(error instanceof SchemaError)) return { type: "failed" };
    return { type: "refused", path: error.path, reason: error.reason };
  }
}
