import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routablePath } from "./paths.js";

describe("the routed path", () => {
  it.each([
    ["/v1/models", "/v1/models"],
    ["/v1/models?limit=1#x", "/v1/models"],
    ["/v1/models?a=%zz", "/v1/models"],
    ["http://example.com/v1/models?x", "/v1/models"],
    ["HTTPS://example.com", "/"],
    ["*", "/"],
    ["/v1/%zz", "/v1/%25zz"],
    ["/v1/%ff", "/v1/%25ff"],
    ["/v1/%2Fmodels", "/v1/%2Fmodels"],
  ])("of %s is %s", (target, path) => {
    expect(routablePath(target)).toBe(path);
  });

  it("always decodes", () => {
    const target = fc.array(fc.constantFrom("/", "v1", "%", "f", "%25", "%e2%82%ac", "%C3", "?", "#", "é"));
    fc.assert(
      fc.property(target, (parts) => {
        const path = routablePath(parts.join(""));
        expect(path).toMatch(/^\/[^?#]*$/);
        expect(() => decodeURI(path)).not.toThrow();
      }),
    );
  });
});
