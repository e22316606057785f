import { describe, expect, it } from "vitest";
import { ServiceError } from "../../core/errors.js";
import { readFormat } from "./format.js";

const schema = { type: "object" };
const read = (response_format: unknown) => readFormat({ response_format });

describe("response_format", () => {
  it("takes a schema beside json_object for a json_schema", () => {
    expect(read({ type: "json_object" })).toEqual({ type: "json_object" });
    expect(read({ type: "json_object", schema: null })).toEqual({ type: "json_object" });
    expect(read({ type: "json_object", schema })).toEqual({ type: "json_schema", name: "reply", schema });
  });

  it("is strict only where that was asked for", () => {
    const format = (strict: unknown) =>
      read({ type: "json_schema", json_schema: { name: "a", schema, strict } });
    expect(format(true)).toEqual({ type: "json_schema", name: "a", schema, strict: true });
    for (const strict of [false, null, undefined]) {
      expect(format(strict)).toEqual({ type: "json_schema", name: "a", schema });
    }
  });

  it.each([
    [{ type: "json_object", schema: 1 }, "response_format.schema"],
    [{ type: "json_object", schema: { a: "x".repeat(200_000) } }, "response_format.schema"],
    [
      { type: "json_schema", json_schema: { name: "a", schema, strict: "yes" } },
      "response_format.json_schema.strict",
    ],
  ])("names what is wrong: %#", (format, param) => {
    expect(() => read(format)).toThrow(ServiceError);
    expect(() => read(format)).toThrow(expect.objectContaining({ param }) as Error);
  });
});
