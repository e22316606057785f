import { expect, it } from "vitest";
import { bodyOf, emptyEngine } from "./engine-draft.ts";

it("sends what was filled in, and leaves the rest to the service", () => {
  const draft = { ...emptyEngine, url: " http://gpu:8000/v1 ", profile: "vllm" };
  const least = { url: "http://gpu:8000/v1", profile: "vllm" };
  expect(bodyOf(draft)).toEqual(least);
  expect(bodyOf({ ...draft, vision: true, contextTokens: "4096", key: "k" })).toEqual({
    ...least,
    vision: true,
    contextTokens: 4096,
    key: "k",
  });
});
