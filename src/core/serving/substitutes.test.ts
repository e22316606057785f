import { describe, expect, it } from "vitest";
import { ServiceError } from "../errors.js";
import { hasCircle, isSubstitutable, substitutesOf, type Substitutes } from "./substitutes.js";

describe("substitutes", () => {
  it("are tried in the order in which they are named", () => {
    const substitutes: Substitutes = { omega: "prism", prism: "lambda" };
    expect(substitutesOf("omega", substitutes)).toEqual(["prism", "lambda"]);
    expect(substitutesOf("prism", substitutes)).toEqual(["lambda"]);
    expect(substitutesOf("lambda", substitutes)).toEqual([]);
  });

  it.each<[Substitutes, boolean]>([
    [{}, false],
    [{ omega: "prism", lambda: "prism" }, false],
    [{ omega: "omega" }, true],
    [{ omega: "prism", prism: "omega" }, true],
    [{ omega: "prism", prism: "lambda", lambda: "prism" }, true],
  ])("%j forms a circle: %s", (substitutes, expected) => {
    expect(hasCircle(substitutes)).toBe(expected);
  });

  it("end where they would begin again", () => {
    expect(substitutesOf("omega", { omega: "prism", prism: "omega" })).toEqual(["prism"]);
  });

  it("are for engines that fail or are full, not for errors of a request", () => {
    expect(isSubstitutable(new ServiceError("engine_unavailable"))).toBe(true);
    expect(isSubstitutable(new ServiceError("overloaded"))).toBe(true);
    expect(isSubstitutable(new ServiceError("rate_limit_exceeded"))).toBe(false);
    expect(isSubstitutable(new ServiceError("context_length_exceeded"))).toBe(false);
    expect(isSubstitutable(new Error("bug"))).toBe(false);
  });
});
