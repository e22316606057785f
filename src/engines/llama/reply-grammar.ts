/** From the format that a request wants to the grammar that its reply is held to. */
import type { ReplyFormat } from "../../protocol/chat.js";
import { ServiceError } from "../../protocol/errors.js";
import { objectGrammar, schemaGrammar } from "./json-schema/compile.js";
import { SchemaFault, type Path } from "./json-schema/schema.js";

/** In GBNF; undefined: any text. Throws `invalid_value` for a schema that cannot be followed. */
export function grammarOf(format: ReplyFormat): string | undefined {
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return objectGrammar();
    case "json_schema":
      try {
        return schemaGrammar(format.schema);
      } catch (error) {
        throw error instanceof SchemaFault ? refusal(error) : error;
      }
  }
}

function refusal({ path, reason }: SchemaFault): ServiceError {
  const param = `response_format.json_schema.schema${pathText(path)}`;
  return new ServiceError("invalid_value", { message: `Invalid schema at '${param}': ${reason}.`, param });
}

/** Long names of properties are the client's own text: they are cut, and never more than that is repeated. */
function pathText(path: Path): string {
  return path
    .slice(0, 32)
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step.slice(0, 64)}`))
    .join("");
}
