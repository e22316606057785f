import { describe, expect, test } from "vitest";
import { callsGrammar, ToolSchemaError } from "./calls-request.js";

describe("a strict tool whose schema cannot be followed", () => {
  const tool = {
    name: "f",
    description: undefined,
    parameters: { type: "object", properties: { a: { $ref: "#/$defs/missing" } }, required: ["a"] },
    strict: true,
  };
  const placeOf = (position?: number) => {
    try {
      callsGrammar({
        syntax: { type: "generic", reasoning: null },
        tooling: {
          tools: [position === undefined ? tool : { ...tool, position }],
          choice: "auto",
          parallel: true,
        },
        format: { type: "text" },
      });
    } catch (error) {
      if (error instanceof ToolSchemaError) return error.tool;
      throw error;
    }
    return "accepted";
  };

  test("is named by its place in the request, also where tools before it were left out", () => {
    expect(placeOf()).toBe(0);
    expect(placeOf(4)).toBe(4);
  });
});
