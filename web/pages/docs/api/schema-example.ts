/** A value that fits a schema, for operations whose document shows none. */
import { propertiesOf, resolve, type OpenApi, type Schema } from "./openapi.js";

export function schemaExample(document: OpenApi, schema: Schema | undefined, depth = 0): unknown {
  const resolved = resolve(document, schema);
  if (resolved === undefined || depth > 6) return null;
  const given = resolved.example ?? resolved.examples?.[0] ?? resolved.const ?? resolved.enum?.[0];
  if (given !== undefined) return given;
  const choice = (resolved.oneOf ?? resolved.anyOf)?.[0];
  if (choice !== undefined) return schemaExample(document, choice, depth + 1);
  const [type = "object"] = [resolved.type ?? "object"].flat();
  switch (type) {
    case "string":
      return "…";
    case "integer":
    case "number":
      return resolved.default ?? resolved.minimum ?? 0;
    case "boolean":
      return resolved.default ?? false;
    case "array":
      return [schemaExample(document, resolved.items, depth + 1)];
    case "null":
      return null;
    default:
      return Object.fromEntries(
        propertiesOf(document, resolved).map((property) => [
          property.name,
          schemaExample(document, property.schema, depth + 1),
        ]),
      );
  }
}
