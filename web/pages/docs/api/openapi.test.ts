import { describe, expect, it } from "vitest";
import { innerSchema, propertiesOf, resolve, typeName, type OpenApi, type Schema } from "./openapi.ts";
import { schemaExample } from "./schema-example.ts";

const schemas = {
  Message: { type: "object", required: ["role"], properties: { role: { type: "string", enum: ["user"] } } },
  Extended: {
    allOf: [{ $ref: "#/components/schemas/Message" }, { properties: { name: { type: "string" } } }],
  },
  Circle: { type: "object", properties: { again: { $ref: "#/components/schemas/Circle" } } },
} satisfies Record<string, Schema>;

const document: OpenApi = { info: { title: "", version: "" }, paths: {}, components: { schemas } };
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

describe("the API reference's reading of OpenAPI", () => {
  it("names types in words", () => {
    expect(typeName(document, { type: ["number", "null"] })).toBe("number or null");
    expect(typeName(document, { type: "array", items: reference("Message") })).toBe("array of Message");
    expect(typeName(document, { type: "array", items: { type: "string" } })).toBe("array of strings");
    const choice = { anyOf: [{ type: "string", enum: ["omega"] }, { type: ["string", "null"] }] };
    expect(typeName(document, choice)).toBe("string or null");
    expect(typeName(document, { description: "Accepted without effect." })).toBe("any value");
  });

  it("takes the properties of all parts of an allOf together", () => {
    const extended = resolve(document, reference("Extended")) ?? {};
    expect(propertiesOf(document, extended).map(({ name, required }) => [name, required])).toEqual([
      ["role", true],
      ["name", false],
    ]);
  });

  it("follows a reference into a component", () => {
    const role = reference("Message/properties/role");
    expect(resolve(document, role)).toBe(schemas.Message.properties.role);
    expect(typeName(document, role)).toBe("string");
    expect(resolve(document, reference("Message/properties/missing/type"))).toBeUndefined();
  });

  it("looks for fields inside lists and choices", () => {
    const choice = { anyOf: [{ type: "string" }, { type: "array", items: reference("Message") }] };
    expect(innerSchema(document, choice)).toBe(schemas.Message);
  });

  it("ends on schemas that contain themselves, and on references that lead nowhere", () => {
    expect(JSON.stringify(schemaExample(document, reference("Circle")))).toContain("null");
    expect(resolve(document, reference("Missing"))).toBeUndefined();
  });

  it("makes an example that fits", () => {
    expect(schemaExample(document, { type: "array", items: reference("Message") })).toEqual([
      { role: "user" },
    ]);
  });
});
