/**
 * Random JSON schemas from a seed that nobody would write: any keyword with any value, references that go round,
 * patterns of random pieces, numbers at the edges, names in many scripts. Most are small; some are wide or deep.
 */
import { randomSchemas } from "./random-schemas.js";
import { uniformNumbers } from "./uniform-numbers.js";

type Schema = Record<string, unknown>;

export function hostileSchemas(seed: number): () => Schema {
  const random = uniformNumbers(seed);
  const ordinary = randomSchemas(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  const list = <T>(most: number, item: () => T): T[] => Array.from({ length: below(most + 1) }, item);
  const text = () => pick(texts);

  const number = (): number =>
    pick<() => number>([
      () => pick(edges),
      () => below(20) - 5,
      () => (random() - 0.5) * 10 ** below(20),
      () => below(100) / 10 ** below(6),
    ])();

  const count = () => pick([below(5), below(5), below(2000), -1, 0.5, 1e9]);

  const pattern = (depth = 3): string =>
    list(5, () => {
      const atom = depth > 0 && random() < 0.3 ? `(${pattern(depth - 1)})` : pick(atoms);
      return atom + (random() < 0.5 ? pick(quantifiers) : "");
    }).join(random() < 0.2 ? "|" : "");

  const nestedPattern = (): string => {
    const levels = below(3_000);
    return "(".repeat(levels) + pattern() + ")".repeat(levels) + pick(quantifiers);
  };

  const reference = () => pick([...references, `#/$defs/${text()}`, `#/properties/${text()}`]);

  const json = (depth: number): unknown =>
    pick<() => unknown>([
      text,
      number,
      () => null,
      () => random() < 0.5,
      () => (depth > 0 ? list(4, () => json(depth - 1)) : []),
      () =>
        depth > 0 ? Object.fromEntries(list(4, (): [string, unknown] => [text(), json(depth - 1)])) : {},
    ])();

  const named = (depth: number): Schema => Object.fromEntries(list(4, () => [text(), schema(depth - 1)]));

  const keywords: Record<string, (depth: number) => unknown> = {
    $ref: reference,
    type: () => (random() < 0.7 ? pick(types) : list(3, () => pick(types))),
    enum: () => list(6, () => json(2)),
    const: () => json(2),
    allOf: (depth) => list(3, () => schema(depth - 1)),
    anyOf: (depth) => list(4, () => schema(depth - 1)),
    oneOf: (depth) => list(4, () => schema(depth - 1)),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: number,
    minLength: count,
    maxLength: count,
    pattern: () => (random() < 0.9 ? pattern() : nestedPattern()),
    format: () => pick(formats),
    items: (depth) => (random() < 0.9 ? schema(depth - 1) : list(2, () => schema(depth - 1))),
    prefixItems: (depth) => list(3, () => schema(depth - 1)),
    minItems: count,
    maxItems: count,
    uniqueItems: () => random() < 0.3,
    properties: named,
    required: () => list(4, text),
    additionalProperties: (depth) => schema(depth - 1),
    minProperties: count,
    maxProperties: count,
    patternProperties: (depth) => Object.fromEntries(list(2, () => [pattern(1), schema(depth - 1)])),
    propertyNames: (depth) => schema(depth - 1),
    unevaluatedProperties: (depth) => schema(depth - 1),
    additionalItems: (depth) => schema(depth - 1),
    nullable: () => random() < 0.5,
    not: (depth) => schema(depth - 1),
    contains: (depth) => schema(depth - 1),
    if: (depth) => schema(depth - 1),
    $defs: named,
    title: text,
  };
  const names = Object.keys(keywords);

  const schema = (depth: number): unknown => {
    if (random() < 0.1) return random() < 0.8;
    if (random() < 0.02) return json(2);
    if (random() < 0.15 && depth > 0) return ordinary();
    const type = random() < 0.5 ? { type: pick(types) } : {};
    const own = list(depth > 0 ? 4 : 2, (): [string, unknown] => {
      const name = names[below(names.length)] ?? "type";
      if (random() < 0.02) return [text(), json(1)];
      return [name, random() < 0.03 ? json(1) : keywords[name]?.(depth)];
    });
    return { ...type, ...Object.fromEntries(own) };
  };

  const deep = (): Schema => {
    let inner: unknown = schema(1);
    for (let level = below(200); level > 0; level--) {
      inner = pick<() => unknown>([
        () => ({ items: inner }),
        () => ({ anyOf: [inner, { type: "null" }] }),
        () => ({ properties: { [text()]: inner } }),
        () => ({ allOf: [inner] }),
      ])();
    }
    return { items: inner };
  };

  const wide = (): Schema => {
    const length = below(3000);
    return pick<() => Schema>([
      () => ({ anyOf: Array.from({ length }, (_, index) => ({ minimum: index + 0.1, maximum: 1e14 })) }),
      () => ({
        properties: Object.fromEntries(Array.from({ length }, (_, index) => [`p${index}`, schema(0)])),
      }),
      () => ({ enum: Array.from({ length }, (_, index) => `${text()}${index}`) }),
      () => ({ type: "string", pattern: Array.from({ length }, () => pattern(0)).join("|") }),
      () => ({ oneOf: Array.from({ length }, (_, index) => ({ const: index })) }),
      () => ({ type: "object", required: Array.from({ length: 20 * length }, (_, index) => `p${index}`) }),
    ])();
  };

  /** Two that refer to themselves, to be merged. */
  const entwined = (): Schema => {
    const name = text();
    const $defs = Object.fromEntries(
      ["a", "b"].map((own) => {
        const properties = { [name]: { $ref: `#/$defs/${own}` }, [own]: schema(1) };
        return [own, { type: "object", properties, required: list(2, () => name) }];
      }),
    );
    return { allOf: Object.keys($defs).map((own) => ({ $ref: `#/$defs/${own}` })), $defs };
  };

  const root = (): Schema => {
    const kind = random();
    if (kind < 0.005) return wide();
    if (kind < 0.02) return deep();
    if (kind < 0.025) return entwined();
    const made = schema(4);
    const isObject = typeof made === "object" && made !== null && !Array.isArray(made);
    const own: Schema = isObject ? { ...made } : { items: made };
    return random() < 0.5 ? { ...own, $defs: { a: schema(2), b: schema(2), ü: schema(1) } } : own;
  };
  return root;
}

const types = ["object", "array", "string", "number", "integer", "boolean", "null", "date"] as const;
const formats = [
  "date",
  "time",
  "date-time",
  "uuid",
  "ipv4",
  "email",
  "hostname",
  "uri",
  "ipv6",
  "duration",
  "base64",
  "iban",
  "",
] as const;
const texts = [
  ...([
    "a",
    "b",
    "id",
    "",
    "näme",
    "名前",
    "🙂",
    'quo"te',
    "back\\slash",
    "\u0000",
    "\ud800",
    "a/b~c",
  ] as const),
  ...(["__proto__", "constructor", "toString", "x".repeat(300)] as const),
] as const;
const references = [
  "#",
  "#/",
  "#/$defs/a",
  "#/$defs/b",
  "#/$defs/ü",
  "#/$defs/%C3%BC",
  "#/items",
  "a",
] as const;
const edges = [
  ...([0, -0, 1, -1, 0.1, 1e-9, 1e-300, 5e-324, 1e15, 1e17, 1e300, -1e300] as const),
  ...([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 999_999_999_999_999.9] as const),
] as const;
const atoms = [
  ...([
    "a",
    "b",
    "é",
    "🙂",
    ".",
    "\\d",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "[a-z]",
    "[^a]",
    "[\\w-]",
    '"',
    "\\\\",
  ] as const),
  ...([
    "\\.",
    "^",
    "$",
    "\\b",
    "(?=a)",
    "(?!.*b)",
    "(?=[a-z]{3,40}$)",
    "(?<x>a)",
    "\\p{L}",
    "(?:a|b)",
    "[",
    ")",
    "\\u0041",
    "\\x41",
    "x{2}",
    "(a|aa)",
  ] as const),
] as const;
const quantifiers = [
  "",
  "?",
  "*",
  "+",
  "{3}",
  "{0,20}",
  "{1,}",
  "{999}",
  "{2,1001}",
  "*?",
  "{5000}",
] as const;
