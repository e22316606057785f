/**
 * The parts of an OpenAPI 3.1 document that the reference shows, and how to follow its references. The
 * document is the service's own, so fields that are missing are left out and nothing is validated.
 */
export interface OpenApi {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components?: Record<string, Record<string, unknown>>;
}

export const methods = ["get", "post", "put", "patch", "delete"] as const;
export type Method = (typeof methods)[number];

export interface Reference {
  $ref: string;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  /** Empty when no key is needed. */
  security?: object[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body | Reference;
  responses?: Record<string, Body | Reference>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

/** A request body or a response. */
export interface Body {
  description?: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Media>;
}

interface Header {
  description?: string;
  schema?: Schema;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown } | Reference>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
  pattern?: string;
  format?: string;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  example?: unknown;
}

/** The value after resolving references inside the document, at any depth; undefined if one is broken. */
export function resolve<Thing extends object>(
  document: OpenApi,
  thing: Thing | Reference | undefined,
): Thing | undefined {
  let current = thing;
  for (let hops = 0; hops < 10 && current !== undefined; hops++) {
    if (!("$ref" in current) || typeof current.$ref !== "string") return current as Thing;
    let found: unknown = document;
    for (const name of current.$ref.split("/").slice(1)) {
      found = (found as Record<string, unknown> | undefined)?.[name];
    }
    current = found as Thing | Reference | undefined;
  }
  return undefined;
}

/** The name of a referenced component: `Message` of `#/components/schemas/Message`; none of what is inside one. */
function referenceName(schema: Schema): string | undefined {
  return /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "")?.[1];
}

/** Properties of an object, those of all parts of an `allOf` together. */
export function propertiesOf(
  document: OpenApi,
  schema: Schema,
): { name: string; schema: Schema; required: boolean }[] {
  const parts = [schema, ...(schema.allOf ?? [])].map((part) => resolve(document, part) ?? {});
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  return parts.flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([name, property]) => ({
      name,
      schema: property,
      required: required.has(name),
    })),
  );
}

/** The element of an array or a union: the first nested schema that has fields to show. */
export function innerSchema(document: OpenApi, schema: Schema): Schema {
  const resolved = resolve(document, schema) ?? schema;
  if (resolved.items !== undefined) return innerSchema(document, resolved.items);
  const choices = resolved.oneOf ?? resolved.anyOf ?? [];
  return (
    choices
      .map((choice) => innerSchema(document, choice))
      .find((inner) => propertiesOf(document, inner).length > 0) ?? resolved
  );
}

/** "array of Message", "string or null", "string or array of strings"; each once, however many shapes it has. */
export function typeName(document: OpenApi, schema: Schema): string {
  const resolved = resolve(document, schema) ?? schema;
  const choices = resolved.oneOf ?? resolved.anyOf;
  if (choices !== undefined) {
    const names = choices.flatMap((choice) => typeName(document, choice).split(" or "));
    return [...new Set(names)].join(" or ");
  }
  if (resolved.const !== undefined) return typeof resolved.const;
  if (resolved.type === undefined && resolved.properties === undefined) return "any value";
  const types = resolved.type === undefined ? ["object"] : [resolved.type].flat();
  return types
    .map((type) => {
      if (type === "array") return `array of ${itemName(document, resolved.items)}`;
      if (type === "object") return referenceName(schema) ?? "object";
      return type;
    })
    .join(" or ");
}

function itemName(document: OpenApi, items: Schema | undefined): string {
  if (items === undefined) return "values";
  const name = typeName(document, items);
  return /^[a-z]+$/.test(name) ? `${name}s` : name;
}

/** What values are allowed, in words: "0 to 2", "default 1". */
export function constraints(schema: Schema): string[] {
  const words: string[] = [];
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) words.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) words.push(`at least ${minimum}`);
  else if (maximum !== undefined) words.push(`at most ${maximum}`);
  if (schema.minLength !== undefined) words.push(`at least ${counted(schema.minLength, "character")}`);
  if (schema.maxLength !== undefined) words.push(`at most ${counted(schema.maxLength, "character")}`);
  if (schema.minItems !== undefined) words.push(`at least ${counted(schema.minItems, "item")}`);
  if (schema.maxItems !== undefined) words.push(`at most ${counted(schema.maxItems, "item")}`);
  if (schema.default !== undefined && schema.default !== null) {
    words.push(`default ${JSON.stringify(schema.default)}`);
  }
  return words;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
