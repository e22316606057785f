import { describe, expect, it } from "vitest";
import { schemaGrammar } from "./compile.js";
import { formatNames } from "./formats.js";
import { SchemaError } from "./schema.js";

/** Where a schema is refused, or null. */
function errorOf(schema: Record<string, unknown>): string | null {
  try {
    schemaGrammar(schema);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.path.join(".");
    throw error;
  }
}

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
    expect(errorOf({ allOf: [{ pattern: "a" }, { pattern: "b" }], type: "string" })).toBe("pattern");
  });

  it("takes alternatives that exclude each other, and only those, for oneOf", () => {
    const tagged = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind } },
      required: ["kind"],
    });
    expect(errorOf({ oneOf: [tagged("a"), tagged("b"), { type: "null" }] })).toBeNull();
    expect(errorOf({ oneOf: [tagged("a"), tagged("a")] })).toBe("oneOf");
    expect(errorOf({ oneOf: [{ type: "integer" }, { type: "number" }] })).toBe("oneOf");
    expect(errorOf({ oneOf: [{ enum: [1, 2] }, { enum: [3] }, { type: "string" }] })).toBeNull();
    expect(errorOf({ oneOf: [{ enum: [1, 2] }, { enum: [2] }] })).toBe("oneOf");
  });

  it("names the keyword that it cannot keep", () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ type: "array", uniqueItems: true }, "uniqueItems"],
      [{ type: "array", contains: {} }, "contains"],
      [{ type: "object", patternProperties: {} }, "patternProperties"],
      [{ type: "object", properties: { a: {} }, minProperties: 1 }, "minProperties"],
      [{ type: "string", pattern: "a", minLength: 3 }, "minLength"],
      [{ type: "number", multipleOf: 0.1 }, "multipleOf"],
      [{ if: {}, then: {} }, "if"],
      [{ items: { properties: { deep: { not: {} } } } }, "items.properties.0.not"],
    ];
    for (const [schema, place] of cases) expect(errorOf(schema)).toBe(place);
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
      [{ properties: { [mark]: { [mark]: 1 } } }, "properties.0"],
      [
        { allOf: [{ properties: { [mark]: { minimum: 1 } } }, { properties: { [mark]: { not: {} } } }] },
        "properties.0.not",
      ],
      [{ enum: [mark], [mark]: 1 }, ""],
      [{ $ref: `#/$defs/${mark}` }, "$ref"],
      [{ format: mark, type: "string" }, "format"],
      [{ pattern: `(?=${mark})`, type: "string" }, "pattern"],
    ];
    for (const [schema, place] of cases) {
      expect(errorOf(schema)).toBe(place);
      expect(() => schemaGrammar(schema)).not.toThrow(mark);
    }
  });

  it("is not confused by names from the prototype", () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "null"}, "constructor": {"type": "null"}}',
    ) as object;
    expect(schemaGrammar({ type: "object", properties })).toContain("__proto__");
    expect(errorOf({ $ref: "#/constructor" })).toBe("$ref");
    expect(errorOf({ type: "string", format: "constructor" })).toBe("format");
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
      [{ anyOf: many(20, () => ({ type: "string", pattern: "a".repeat(900) })) }, "anyOf.11.pattern"],
      [{ anyOf: many(1_400, () => ({ type: "string", pattern: ".{999}" })) }, ""],
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
    expect(errorOf({ type: "integer", multipleOf: 3, minimum: 1e17, maximum: 1e17 + 1000 })).toBe(
      "multipleOf",
    );
    expect(errorOf({ type: "integer", multipleOf: 2, minimum: 1e300, maximum: 1e300 })).toBe("multipleOf");
    expect(errorOf({ type: "integer", multipleOf: 5, minimum: 1e15, maximum: 1e15 + 20 })).toBeNull();
    expect(errorOf({ type: "number", minimum: 1e15 })).toBe("");
    expect(errorOf({ type: "number", maximum: -1e300 })).toBe("");
  });

  it("takes no pattern that leaves so much open that following it would hold everyone up", () => {
    const ofLengths = (most: number) => Array.from({ length: most }, (_, i) => ".".repeat(i + 1)).join("|");
    const hostile = [
      "(a?){500}a{500}",
      "(.?){64}x",
      "(a|ab|b|ba|aa|bb|.)*".repeat(40),
      `(${ofLengths(40)})*`,
      `(${ofLengths(5)}){40}`,
      ".*.".repeat(300),
      "((.?){20}){20}",
      `^${"a?".repeat(60)}a{60}$`,
      // What grows may be put off.
      `^x{900}${"a?".repeat(20)}a{20}$`,
      "(a|a|a|a|a)*",
      Array.from({ length: 1_000 }, () => "a").join("|"),
    ];
    expect(hostile.map((pattern) => errorOf({ type: "string", pattern }))).toEqual(
      hostile.map(() => "pattern"),
    );
    const honest = [
      "^.*foo.*bar.*$",
      "^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$",
      "^P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+S)?)?$",
      "^((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)$",
      "^(Monday|Tuesday|Wednesday)(, (Monday|Tuesday|Wednesday))*$",
      "^\\w*\\d{0,100}$",
      "^[a-z ]{0,1000}$",
      "^([a-z]{0,9} ){0,300}$",
      "^(\\w+\\s?)*$",
      "^(\\+?\\d{1,3}[ -]?)?(\\(?\\d{3}\\)?[ -]?)?\\d{3}[ -]?\\d{4}$",
    ];
    expect(honest.map((pattern) => errorOf({ type: "string", pattern }))).toEqual(honest.map(() => null));
    for (const format of formatNames) expect(errorOf({ type: "string", format })).toBeNull();
  });
});
