import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routableTarget } from "./paths.js";

describe("the routed target", () => {
  it.each([
    ["/v1/models", "/v1/models"],
    ["/v1/models?limit=1#x", "/v1/models?limit=1#x"],
    ["/v1/models?a=%zz", "/v1/models?a=%zz"],
    ["http://example.com/v1/models?x", "/v1/models?x"],
    ["HTTPS://example.com", "/"],
    ["http://example.com?x", "/?x"],
    ["*", "/"],
    ["/v1/%zz?a", "/v1/%25zz?a"],
    ["/v1/%ff", "/v1/%25ff"],
    ["/v1/%2Fmodels", "/v1/%2Fmodels"],
  ])("of %s is %s", (target, routed) => {
    expect(routableTarget(target)).toBe(routed);
  });

  it("always has a path that decodes", () => {
    const target = fc.array(fc.constantFrom("/", "v1", "%", "f", "%25", "%e2%82%ac", "%C3", "?", "#", "é"));
    fc.assert(
      fc.property(target, (parts) => {
        const [path = ""] = routableTarget(parts.join("")).split(/[?#]/);
        expect(path).toMatch(/^\//);
        expect(() => decodeURI(path)).not.toThrow();
      }),
    );
  });
});
