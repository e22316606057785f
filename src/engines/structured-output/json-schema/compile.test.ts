import { describe, expect, it } from "vitest";
import { GrammarWalker } from "../../../../test/support/inputs/grammar-walker.js";
import { schemaGrammar } from "./compile.js";
import { formatNames } from "./strings/formats.js";
import { SchemaError } from "./schema.js";

/** Where a schema is refused, or null. */
function errorOf(schema: Record<string, unknown>, strict = false): string | null {
  try {
    schemaGrammar(schema, { strict });
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.path.join(".");
    throw error;
  }
}

/** Some that the grammar allows. */
const textsOf = (grammar: string, count = 100): string[] => {
  const walker = new GrammarWalker(grammar);
  return Array.from({ length: count }, (_, seed) => walker.text(seed));
};

describe("a schema's grammar", () => {
  it("keeps properties in their order, and leaves out the optional ones or not", () => {
    const properties = { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } };
    const grammar = schemaGrammar({ type: "object", properties, required: ["b"] });
    expect(grammar).toMatch(/^root ::= /);
    for (const name of ["a", "b", "c"]) expect(grammar).toContain(`"\\x22${name}\\x22"`);
  });

  it("grows with the schema, not with its nesting", () => {
    const nested = (depth: number): Record<string, unknown> =>
      depth === 0
        ? { type: "string" }
        : {
            type: "object",
            properties: { a: { type: "array", items: nested(depth - 1) }, b: { type: "null" } },
          };
    const [ten, twenty] = [schemaGrammar(nested(10)).length, schemaGrammar(nested(20)).length];
    expect(twenty).toBeLessThan(ten * 2.5);
  });

  it("leaves out what cannot be, where it need not be", () => {
    const tree = { type: "object", properties: { next: { $ref: "#" }, end: { type: "null" } } };
    expect(errorOf(tree)).toBeNull();
    expect(errorOf({ anyOf: [{ type: "null" }, { $ref: "#" }] })).toBeNull();
    expect(errorOf({ type: "array", items: { $ref: "#" } })).toBeNull();
    expect(errorOf({ type: "array", items: { $ref: "#" }, minItems: 1 })).toBe("");
    expect(errorOf({ $ref: "#" })).toBe("");
  });

  it("ends, for references that never do", () => {
    const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(errorOf(circle)).toBe("");
    expect(errorOf({ allOf: [{ $ref: "#" }], type: "object" })).not.toBeNull();
    expect(errorOf({ $ref: "#", minLength: 1, type: "string" })).not.toBeNull();
  });

  it("ends soon, for schemas that take much comparing", () => {
    const values = Array.from({ length: 2000 }, (_, index) => index);
    expect(errorOf({ allOf: [{ enum: values }, { enum: [...values, 1] }] })).toBe("");
    expect(errorOf({ oneOf: values.map((value) => ({ const: value })) })).toBe("");
  });

  it("leaves out or refuses references with nothing in between, which the native parser does not take", () => {
    const alternatives = { anyOf: [{ type: "null" }, { $ref: "#" }] };
    expect(schemaGrammar(alternatives)).not.toContain("ref-");
    const operand = { anyOf: [{ type: "integer" }, { $ref: "#/$defs/expression" }] };
    const expression = {
      anyOf: [
        { type: "object", properties: { left: { $ref: "#/$defs/operand" } }, required: ["left"] },
        { $ref: "#/$defs/operand" },
      ],
    };
    expect(errorOf({ $ref: "#/$defs/expression", $defs: { operand, expression } })).toBe("");
    expect(errorOf({ $ref: "#/$defs/operand", $defs: { operand, expression } })).toBeNull();
  });

  it("merges what must all hold", () => {
    const both = {
      allOf: [
        { type: "integer", minimum: 3 },
        { type: "number", maximum: 2 },
      ],
    };
    expect(errorOf(both)).toBe("minimum");
    expect(errorOf({ allOf: [{ type: "string" }, { type: "null" }] })).toBe("");
    const closed = { type: "object", properties: { a: {} }, additionalProperties: false };
    expect(errorOf({ allOf: [closed, { required: ["b"] }] })).toBe("");
    expect(errorOf({ allOf: [closed, { properties: { b: {} } }] })).toBeNull();
    const patterns = schemaGrammar({ allOf: [{ pattern: "^a" }, { pattern: "b$" }], type: "string" });
    expect(textsOf(patterns).every((text) => /^"a(.*)b"$|^"ab"$/s.test(text))).toBe(true);
    expect(errorOf({ allOf: [{ pattern: "^a$" }, { pattern: "^b$" }], type: "string" })).toBe("");
    expect(errorOf({ allOf: [{ const: 1 }, { const: 2 }] })).toBe("");
    const tuple = {
      allOf: [{ type: "array", prefixItems: [{ type: "integer" }] }, { items: { maximum: 3 } }],
    };
    for (const text of textsOf(schemaGrammar(tuple)))
      for (const item of JSON.parse(text) as unknown[])
        expect(typeof item === "number" ? item : 0).toBeLessThan(4);
    const nested = { allOf: [{ allOf: [{ minimum: 3 }] }, { allOf: [{ maximum: 4 }] }], type: "integer" };
    expect([...new Set(textsOf(schemaGrammar(nested)))].sort()).toEqual(["3", "4"]);
    const referring = {
      $defs: { a: { minimum: 3 }, b: { maximum: 4 } },
      allOf: [
        { $ref: "#/$defs/a", type: "integer" },
        { $ref: "#/$defs/b", type: "integer" },
      ],
    };
    expect([...new Set(textsOf(schemaGrammar(referring)))].sort()).toEqual(["3", "4"]);
  });

  it("takes alternatives that exclude each other, and only those, for oneOf", () => {
    const tagged = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind } },
      required: ["kind"],
    });
    expect(errorOf({ oneOf: [tagged("a"), tagged("b"), { type: "null" }] })).toBeNull();
    const overlapping = [
      { oneOf: [tagged("a"), tagged("a")] },
      { oneOf: [{ type: "integer" }, { type: "number" }] },
      { oneOf: [{ enum: [1, 2] }, { enum: [2] }] },
    ];
    for (const schema of overlapping) {
      expect(errorOf(schema, true)).toBe("oneOf");
      // As if it were `anyOf`.
      expect(errorOf(schema)).toBeNull();
    }
    expect(errorOf({ oneOf: [{ enum: [1, 2] }, { enum: [3] }, { type: "string" }] }, true)).toBeNull();
  });

  it("requires what tells alternatives apart, where the schema leaves it optional", () => {
    const variant = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind }, x: { type: "null" } },
    });
    const grammar = schemaGrammar({ oneOf: [variant("a"), variant("b")] }, { strict: true });
    for (const text of textsOf(grammar)) expect(text).toMatch(/"kind": ?"[ab]"/);
  });

  it("names the keyword that it cannot enforce if it is strict, and ignores it otherwise", () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ type: "array", uniqueItems: true }, "uniqueItems"],
      [{ type: "array", contains: {} }, "contains"],
      [{ type: "object", properties: { a: {} }, patternProperties: { a: {} } }, "patternProperties"],
      [{ type: "object", patternProperties: { a: {}, b: {} } }, "patternProperties"],
      [{ type: "object", properties: { a: {} }, propertyNames: { maxLength: 3 } }, "propertyNames"],
      [{ type: "object", minProperties: 2 }, "minProperties"],
      [{ type: "string", pattern: "(?<=a)b" }, "pattern"],
      [{ type: "string", pattern: "\\bword" }, "pattern"],
      [{ type: "string", minLength: 5_000 }, "minLength"],
      [{ type: "number", multipleOf: 0.1234567 }, "multipleOf"],
      [{ type: "integer", multipleOf: 97 }, "multipleOf"],
      [{ type: "string", enum: ["a", "b"], pattern: "a" }, "pattern"],
      [{ if: {}, then: {} }, "if"],
      [{ type: "object", dependentRequired: { a: ["b"] } }, "dependentRequired"],
      [{ items: { properties: { deep: { not: { const: 1 } } } } }, "items.properties.0.not"],
    ];
    for (const [schema, place] of cases) {
      expect(errorOf(schema, true)).toBe(place);
      expect(errorOf(schema)).toBeNull();
      expect(() => schemaGrammar(schema, { strict: true })).toThrow(/with 'strict'; \w/);
    }
  });

  it("has nothing to refuse in keywords that mean nothing for the type, or nothing at all", () => {
    const harmless = [
      { type: "string", contains: {}, dependentRequired: { a: ["b"] }, uniqueItems: true },
      { type: "string", format: "iban" },
      { type: "string", enum: ["a"], minimum: 3, format: "email" },
      { type: "object", propertyNames: { type: "string" } },
      { type: "array", items: {}, additionalItems: false },
      {
        type: "string",
        "x-own": { deep: [1] },
        discriminator: {},
        $schema: "x",
        examples: [1],
        readOnly: true,
      },
    ];
    for (const schema of harmless) expect(errorOf(schema, true)).toBeNull();
  });

  it("reads what older drafts and OpenAPI write", () => {
    const values = (schema: Record<string, unknown>) =>
      textsOf(schemaGrammar(schema)).map((text) => JSON.parse(text) as unknown);
    expect(values({ type: "boolean", nullable: true })).toContain(null);
    for (const value of values({ type: "integer", minimum: 3, exclusiveMinimum: true, maximum: 5 })) {
      expect([4, 5]).toContain(value);
    }
    const pair = { type: "array", items: [{ const: 1 }, { const: 2 }], additionalItems: false, minItems: 2 };
    for (const value of values(pair)) expect(value).toEqual([1, 2]);
  });

  it("counts properties and the members of sets", () => {
    const properties = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { type: "null" }]));
    const some = schemaGrammar(
      { type: "object", properties, minProperties: 2, maxProperties: 3 },
      { strict: true },
    );
    for (const text of textsOf(some))
      expect([2, 3]).toContain(Object.keys(JSON.parse(text) as object).length);
    const items = { enum: ["a", "b", "c", "d"] };
    const set = schemaGrammar({ type: "array", items, uniqueItems: true, minItems: 2 }, { strict: true });
    for (const text of textsOf(set)) {
      const values = JSON.parse(text) as string[];
      expect(values.length).toBeGreaterThan(1);
      expect(new Set(values).size).toBe(values.length);
    }
  });

  it("lets a pattern without anchors stand in any text, and a name without an end go on", () => {
    const texts = textsOf(schemaGrammar({ type: "string", pattern: "b.d" }));
    expect(new Set(texts).size).toBeGreaterThan(10);
    for (const text of texts) expect(JSON.parse(text)).toMatch(/b.d/u);
  });

  it("has room for prices and shares, not for one decimal alone", () => {
    const price = new Set(textsOf(schemaGrammar({ type: "number", exclusiveMinimum: 0 }), 400));
    expect([...price].some((text) => /\.\d\d$/.test(text))).toBe(true);
    for (const text of price) expect(Number(text)).toBeGreaterThan(0);
  });

  it("is refused for groups in groups in groups, and for schemas that never come to an end of merging", () => {
    const nested = (depth: number) => "(".repeat(depth) + "a" + ")".repeat(depth);
    expect(errorOf({ type: "string", pattern: nested(40) })).toBeNull();
    expect(errorOf({ type: "string", pattern: nested(2_000) })).toBe("pattern");
    const $defs = {
      a: { properties: { x: { $ref: "#/$defs/a" } } },
      b: { properties: { x: { $ref: "#/$defs/b" }, y: {} } },
    };
    expect(errorOf({ allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs })).toBe("");
  });

  it("names places by keywords and positions, never by what the client wrote", () => {
    const mark = "private-mark";
    const cases: [Record<string, unknown>, string][] = [
      [{ properties: { a: {}, [mark]: { items: { type: mark } } } }, "properties.1.items.type"],
      [{ properties: { [mark]: { contains: mark } } }, "properties.0.contains"],
      [
        {
          allOf: [
            { properties: { [mark]: { minimum: 1 } } },
            { properties: { [mark]: { not: { const: mark } } } },
          ],
        },
        "properties.0.not",
      ],
      [{ enum: [mark], pattern: mark }, "pattern"],
      [{ $ref: `#/$defs/${mark}` }, "$ref"],
      [{ patternProperties: { [mark]: {}, [`(?<=${mark})`]: {} } }, "patternProperties"],
      [{ pattern: `(?<=${mark})`, type: "string" }, "pattern"],
    ];
    for (const [schema, place] of cases) {
      expect(errorOf(schema, true)).toBe(place);
      expect(() => schemaGrammar(schema, { strict: true })).not.toThrow(mark);
    }
  });

  it("is not confused by names from the prototype", () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "null"}, "constructor": {"type": "null"}}',
    ) as object;
    expect(schemaGrammar({ type: "object", properties })).toContain("__proto__");
    expect(errorOf({ $ref: "#/constructor" })).toBe("$ref");
    expect(schemaGrammar({ type: "string", format: "constructor" })).toBe(schemaGrammar({ type: "string" }));
  });

  it("is refused before much work is done, whatever makes it large", () => {
    const many = (length: number, item: (index: number) => unknown) =>
      Array.from({ length }, (_, i) => item(i));
    const long = "x".repeat(1_000_000);
    const shared = (definition: unknown) => ({
      $defs: { shared: definition },
      allOf: many(20_000, () => ({ $ref: "#/$defs/shared" })),
    });
    const cases: [Record<string, unknown>, string][] = [
      [{ type: "string", pattern: long }, ""],
      [{ type: "string", pattern: "\\W".repeat(50_000) }, "pattern"],
      [
        { anyOf: many(20, (i) => ({ type: "string", pattern: `${"[ab]".repeat(225)}${i}` })) },
        "anyOf.11.pattern",
      ],
      [{ anyOf: many(1_400, (i) => ({ type: "string", pattern: `.{999}${i}` })) }, "anyOf.1111.pattern"],
      [{ enum: many(400_000, () => 1) }, ""],
      [{ const: "x".repeat(100_000), enum: many(2_000, (index) => index) }, "enum"],
      [{ oneOf: many(300, (index) => ({ required: many(2_000, (name) => `${name}`), const: index })) }, ""],
      [shared({ enum: many(500_000, () => 1) }), ""],
      [shared({ const: many(500_000, () => 1) }), ""],
      [shared({ required: many(100_000, (index) => `p${index}`) }), ""],
      [{ $defs: { x: { type: "null" } }, $ref: `#/$defs/${"x".repeat(100_000)}` }, "$ref"],
      [{ type: many(300_000, () => "null") }, ""],
    ];
    expect(cases.map(([schema]) => errorOf(schema))).toEqual(cases.map(([, place]) => place));
    expect(errorOf({ type: many(10_000, () => "null") })).toBeNull();
  });

  it("comes to an end with numbers so large that the next one is the same", () => {
    expect(errorOf({ type: "integer", multipleOf: 3, minimum: 1e17, maximum: 1e17 + 1000 })).toBe("");
    expect(errorOf({ type: "integer", multipleOf: 2, minimum: 1e300, maximum: 1e300 })).toBe("");
    expect(errorOf({ type: "integer", multipleOf: 5, minimum: 1e15, maximum: 1e15 + 20 })).toBeNull();
    expect(errorOf({ type: "number", minimum: 1e15 })).toBe("");
    expect(errorOf({ type: "number", maximum: -1e300 })).toBe("");
  });

  it("ignores patterns that are too large to be enforced, and refuses them if it is strict", () => {
    for (const pattern of [
      "^[ab]*a[ab]{30}$",
      "(a?){500}a{500}",
      ".*.".repeat(300),
      "^([a-z]{0,9} ){0,300}$",
    ]) {
      expect(errorOf({ type: "string", pattern })).toBeNull();
      expect(errorOf({ type: "string", pattern }, true)).toBe("pattern");
    }
  });

  it("enforces what people write, and what is ambiguous", () => {
    const ofLengths = (most: number) => Array.from({ length: most }, (_, i) => ".".repeat(i + 1)).join("|");
    const ambiguous = [
      "(.?){64}x",
      "(a|ab|b|ba|aa|bb|.)*".repeat(40),
      `(${ofLengths(40)})*`,
      `(${ofLengths(5)}){40}`,
      "((.?){20}){20}",
      `^${"a?".repeat(60)}a{60}$`,
      `^x{900}${"a?".repeat(20)}a{20}$`,
      "(a|a|a|a|a)*",
      Array.from({ length: 1_000 }, () => "a").join("|"),
    ];
    expect(ambiguous.map((pattern) => errorOf({ type: "string", pattern }, true))).toEqual(
      ambiguous.map(() => null),
    );
    const honest = [
      "^.*foo.*bar.*$",
      "^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$",
      "^P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+S)?)?$",
      "^((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)$",
      "^(Monday|Tuesday|Wednesday)(, (Monday|Tuesday|Wednesday))*$",
      "^\\w*\\d{0,100}$",
      "^[a-z ]{0,1000}$",
      "^(\\w+\\s?)*$",
      "^(\\+?\\d{1,3}[ -]?)?(\\(?\\d{3}\\)?[ -]?)?\\d{3}[ -]?\\d{4}$",
    ];
    expect(honest.map((pattern) => errorOf({ type: "string", pattern }, true))).toEqual(
      honest.map(() => null),
    );
    for (const format of formatNames) expect(errorOf({ type: "string", format }, true)).toBeNull();
  });
});
