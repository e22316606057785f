import { describe, expect, it } from "vitest";
import { indentJson } from "./indent-json.ts";
import { exampleTools, readTools } from "./tools.ts";

const parameters = { type: "object", properties: {} };

describe("tools as typed", () => {
  it("are none when nothing is", () => {
    expect(readTools(" \n")).toEqual({ tools: [], error: null });
    expect(readTools("[]")).toEqual({ tools: [], error: null });
  });

  it("may be tools or bare functions, with or without a type", () => {
    const tool = { type: "function", function: { name: "f", parameters } };
    for (const typed of [tool, { name: "f", parameters }, { type: "function", name: "f", parameters }]) {
      expect(readTools(JSON.stringify([typed]))).toEqual({ tools: [tool], error: null });
    }
  });

  it("has an example that is accepted", () => {
    expect(readTools(exampleTools)).toMatchObject({ tools: [{ type: "function" }], error: null });
  });

  it.each([
    ['[\n  {"name": }\n]', /Unexpected token '}'.* not valid JSON\.$/s],
    ['{"name": "f"}', /JSON array/],
    ["[1]", /'tools\[0\]'/],
    ['[{"name": "two words"}]', /'tools\[0\]\.function\.name'/],
    ['[{"description": "no name"}]', /'tools\[0\]\.type'/],
    ['[{"name": "f", "parameters": []}]', /'tools\[0\]\.function\.parameters'/],
    ['[{"name": "f", "strict": "yes"}]', /'tools\[0\]\.function\.strict'/],
  ])("says what is wrong with %s", (text, error) => {
    const read = readTools(text);
    expect(read.tools).toBeNull();
    expect(read.error).toMatch(error);
  });
});

describe("a call's arguments", () => {
  it("get a line for each value, and mean the same", () => {
    const text = '{"a":[1,{"b":"x, {y}: \\"z\\""},[],{}],"c":{"d":null}}';
    expect(indentJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  it("keep numbers and names as the model wrote them", () => {
    expect(indentJson('{"id":12345678901234567890,"id":1.0}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "id": 1.0\n}',
    );
  });

  it.each(["", '{"city":"Par', "not JSON"])("stay as they are until they are JSON: %j", (text) => {
    expect(indentJson(text)).toBe(text);
  });
});
