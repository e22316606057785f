/** `response_format` and its like: plain text, any JSON object, or JSON that a schema describes. */
import type { ReplyFormat } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { modestSchema } from "../schema-budget.js";
import { nameUpTo } from "../tools.js";

export const readFormat = (body: JsonObject): ReplyFormat =>
  json.optional(body, "response_format", format(nested)) ?? { type: "text" };

/** Where the schema and what belongs to it are: the object, and its path. */
type SchemaPlace = (fields: JsonObject, path: string) => readonly [described: JsonObject, path: string];

const nested: SchemaPlace = (fields, path) => [
  json.required(fields, "json_schema", json.object, path),
  `${path}.json_schema`,
];

export const format =
  (placeOf: SchemaPlace): Reader<ReplyFormat> =>
  (value, path) => {
    const fields = json.object(value, path);
    switch (json.required(fields, "type", formatType, path)) {
      case "text":
        return { type: "text" };
      case "json_object": {
        // Some clients send a schema here, and mean it.
        const schema = json.optional(fields, "schema", modestSchema, path);
        return schema === undefined
          ? { type: "json_object" }
          : { type: "json_schema", name: defaultName, schema };
      }
      case "json_schema": {
        const [described, place] = placeOf(fields, path);
        const name = json.required(described, "name", schemaName, place);
        const schema = json.required(described, "schema", modestSchema, place);
        const strict = json.optional(described, "strict", json.boolean, place) ?? false;
        return { type: "json_schema", name, schema, ...(strict ? { strict } : {}) };
      }
    }
  };

const formatType = json.oneOf("text", "json_object", "json_schema");

/** Where a client names none. */
const defaultName = "reply";

const schemaName = nameUpTo(64);
