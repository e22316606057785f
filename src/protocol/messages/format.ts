/** `output_config.format`, and `output_format` as it was called first: JSON that a schema describes. */
import type { ReplyFormat } from "../../core/chat/request.js";
import {
  invalidValue,
  object,
  optional,
  required,
  string,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { modestSchema } from "../schema-budget.js";

export function readFormat(body: JsonObject): ReplyFormat {
  const config = optional(body, "output_config", object) ?? {};
  const format =
    optional(config, "format", jsonFormat, "output_config") ?? optional(body, "output_format", jsonFormat);
  return format ?? { type: "text" };
}

/** That API promises a reply that follows the schema, so what cannot be enforced is refused. */
const jsonFormat: Reader<ReplyFormat> = (value, path) => {
  const fields = object(value, path);
  if (required(fields, "type", string, path) !== "json_schema") {
    throw invalidValue(`${path}.type`, "expected 'json_schema'");
  }
  return {
    type: "json_schema",
    name: "reply",
    schema: required(fields, "schema", modestSchema, path),
    strict: true,
  };
};
