import { describe, expect, it } from "vitest";
import { bestMatches } from "./match.ts";

const entries = [
  { title: "Usage", context: "page statistics" },
  { title: "Service usage", context: "page" },
  { title: "When a limit is reached", context: "Limits 429" },
  { title: "Limits", context: "page" },
  { title: "Clé de démonstration", context: "key" },
];
const found = (query: string, most = 9) => bestMatches(entries, query, most).map(({ title }) => title);

describe("finding by a few letters", () => {
  it("keeps the order when nothing is asked", () => {
    expect(found("")).toEqual(entries.map(({ title }) => title));
    expect(found("  ", 2)).toHaveLength(2);
  });

  it("puts what begins with the letters before what contains them", () => {
    expect(found("usa")).toEqual(["Usage", "Service usage"]);
    expect(found("lim")).toEqual(["Limits", "When a limit is reached"]);
  });

  it("wants every word, in the title or around it, in any order", () => {
    expect(found("429 limit")).toEqual(["When a limit is reached"]);
    expect(found("reached nothing")).toEqual([]);
  });

  it("overlooks case and accents, in both", () => {
    expect(found("DEMONSTRATION")).toEqual(["Clé de démonstration"]);
    expect(found("clé")).toEqual(["Clé de démonstration"]);
  });

  it("takes what would be a pattern elsewhere for what it is", () => {
    expect(found(".*")).toEqual([]);
    expect(found("(")).toEqual([]);
  });
});
