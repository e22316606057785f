/**
 * Random JSON schemas from a seed, with everything that can be followed, and none whose values can be long.
 */
import { uniformNumbers } from "./uniform-numbers.js";

type Schema = Record<string, unknown>;

export function randomSchemas(seed: number): () => Schema {
  const random = uniformNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("there is nothing to choose from");
    return item;
  };
  const maybe = <T extends object>(fields: T): T | object => (random() < 0.5 ? fields : {});
  const count = (most: number) => 1 + below(most);

  const string = (): Schema => {
    const min = below(3);
    return oneOf<() => Schema>([
      () => ({ type: "string", maxLength: count(8) }),
      () => ({ type: "string", minLength: min, maxLength: min + below(6) }),
      () => ({ type: "string", pattern: oneOf(patterns) }),
      () => ({ type: "string", format: oneOf(formats) }),
      () => ({ type: "string", enum: ["red", "grün", 'a "quoted" one', "back\\slash"].slice(below(3)) }),
    ])();
  };

  const number = (): Schema => {
    const type = oneOf(["integer", "number"]);
    const low = Math.round((random() - 0.5) * 2000) / oneOf([1, 1, 10, 100]);
    const high = low + oneOf([0.5, 1, 3, 40, 1234]);
    return oneOf<() => Schema>([
      () => ({ type }),
      () => ({ type: "number", minimum: low, ...maybe({ maximum: high }) }),
      () => ({ type: "number", exclusiveMinimum: low, exclusiveMaximum: high }),
      () => ({ type: "integer", minimum: Math.floor(low), maximum: Math.floor(low) + below(2000) }),
      () => ({ type: "integer", exclusiveMaximum: Math.floor(low) }),
      () => ({ type: "integer", multipleOf: 5, minimum: Math.floor(low), maximum: Math.floor(low) + 100 }),
    ])();
  };

  const object = (depth: number): Schema => {
    const names = ["id", "näme", "with space", 'quote"d', "tags", "x"].slice(0, count(5));
    return {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, any(depth - 1)])),
      required: names.filter(() => random() < 0.6),
      ...maybe({ additionalProperties: false }),
    };
  };

  const array = (depth: number): Schema => {
    const min = below(3);
    return oneOf<() => Schema>([
      () => ({ type: "array", items: any(depth - 1), minItems: min, maxItems: min + below(3) }),
      () => ({ type: "array", items: any(depth - 1), maxItems: below(3) }),
      () => ({ type: "array", prefixItems: [any(depth - 1), any(depth - 1)], items: false, minItems: 2 }),
    ])();
  };

  const combined = (depth: number): Schema =>
    oneOf<() => Schema>([
      () => ({ anyOf: [any(depth - 1), any(depth - 1)] }),
      () => ({ oneOf: [string(), number(), { type: "null" }] }),
      () => ({ oneOf: ["a", "b"].map((kind) => tagged(kind, any(depth - 1))) }),
      () => ({ allOf: [object(depth), { type: "object", required: ["id"] }] }),
      () => ({ type: ["integer", "null"], minimum: 3, maximum: 77 }),
      () => ({ const: { deep: [1, null, "x"] } }),
      () => ({ enum: [1, "one", null, false, [], { a: 1 }] }),
    ])();

  const any = (depth: number): Schema => {
    const leaves = [string, number, () => ({ type: "boolean" }), () => ({ type: "null" })];
    if (depth <= 0) return oneOf(leaves)();
    const nested = [() => object(depth), () => array(depth), () => combined(depth)];
    return oneOf<() => Schema>([...leaves, ...nested, ...nested])();
  };

  const withDefinitions = (): Schema => ({
    type: "object",
    properties: {
      first: { $ref: "#/$defs/item" },
      second: { $ref: "#/$defs/item" },
      tree: { $ref: "#/$defs/tree" },
    },
    required: ["first"],
    additionalProperties: false,
    $defs: {
      item: any(1),
      tree: {
        type: "object",
        properties: { leaf: string(), left: { anyOf: [{ type: "null" }, { $ref: "#/$defs/tree" }] } },
        required: ["leaf"],
        additionalProperties: false,
      },
    },
  });

  return () => (random() < 0.2 ? withDefinitions() : random() < 0.8 ? object(2) : any(3));
}

const patterns = [
  "^[A-Z]{2}-\\d{3}$",
  "^(yes|no|may ?be)$",
  "^[a-f]{1,4}$",
  "^\\w{1,5}\\s?\\S{1,3}$",
  "^[^a-z]{2,4}$",
  '^".{1,3}"$',
];
const formats = ["date", "time", "date-time", "uuid", "ipv4", "email", "hostname", "uri"];

const tagged = (kind: string, value: Schema): Schema => ({
  type: "object",
  properties: { kind: { const: kind }, value },
  required: ["kind", "value"],
  additionalProperties: false,
});
