/** `output_config.format`, and `output_format` as it was called first: JSON that a schema describes. */
import type { ReplyFormat } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { modestSchema } from "../schema-budget.js";

export function readFormat(body: JsonObject): ReplyFormat {
  const config = json.optional(body, "output_config", json.object) ?? {};
  const format =
    json.optional(config, "format", jsonFormat, "output_config") ??
    json.optional(body, "output_format", jsonFormat);
  return format ?? { type: "text" };
}

/** That API promises a reply that follows the schema, so what cannot be enforced is refused. */
const jsonFormat: Reader<ReplyFormat> = (value, path) => {
  const fields = json.object(value, path);
  if (json.required(fields, "type", json.string, path) !== "json_schema") {
    throw json.invalidValue(`${path}.type`, "expected 'json_schema'");
  }
  return {
    type: "json_schema",
    name: "reply",
    schema: json.required(fields, "schema", modestSchema, path),
    strict: true,
  };
};
