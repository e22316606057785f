/** The document's examples; if it has none, one generated from the schema. */
import { resolve, type Media, type OpenApi, type Operation } from "./openapi.js";
import { schemaExample } from "./schema-example.js";

/** The examples of the request body, or one generated from its schema. */
export function bodiesOf(
  document: OpenApi,
  operation: Operation,
): { name: string | undefined; value: Record<string, unknown> }[] {
  const media = Object.values(resolve(document, operation.requestBody)?.content ?? {});
  return media
    .flatMap((one) => valuesOf(document, one))
    .flatMap(({ name, value }) => (isObject(value) ? [{ name, value }] : []));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function valuesOf(document: OpenApi, media: Media): { name: string | undefined; value: unknown }[] {
  if (media.example !== undefined) return [{ name: undefined, value: media.example }];
  if (media.examples !== undefined) {
    return Object.entries(media.examples).flatMap(([name, example]) => {
      const resolved = resolve(document, example);
      return resolved?.value === undefined ? [] : [{ name: resolved.summary ?? name, value: resolved.value }];
    });
  }
  const made = schemaExample(document, media.schema);
  const isEmpty = made === null || typeof made !== "object" || Object.keys(made).length === 0;
  return isEmpty ? [] : [{ name: undefined, value: made }];
}
