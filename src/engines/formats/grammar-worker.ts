/** A thread that compiles JSON schemas to grammars, one at a time. It keeps nothing between two of them. */
import { parentPort } from "node:worker_threads";
import { schemaGrammar } from "./json-schema/compile.js";
import { isSchemaObject, SchemaError, type Path } from "./json-schema/schema.js";
import { readSchemaText } from "./schema-text.js";

export type Compiled =
  | { type: "grammar"; gbnf: string }
  | { type: "refused"; path: Path; reason: string }
  /** A bug in the compiler. */
  | { type: "failed" };

export type FromGrammarWorker = { type: "ready" } | Compiled;

const send = (message: FromGrammarWorker): void => parentPort?.postMessage(message);

parentPort?.on("message", (schemaText: string) => {
  send(compile(schemaText));
});
send({ type: "ready" });

function compile(schemaText: string): Compiled {
  try {
    const { schema, strict } = readSchemaText(schemaText);
    if (!isSchemaObject(schema)) return { type: "failed" };
    return { type: "grammar", gbnf: schemaGrammar(schema, { strict }) };
  } catch (error) {
    // Any other error may quote the schema, so nothing of it is passed on.
    if (!(error instanceof SchemaError)) return { type: "failed" };
    return { type: "refused", path: error.path, reason: error.reason };
  }
}
