import { describe, expect, it } from "vitest";
import { table, time } from "./output.js";

describe("tables", () => {
  it("are as wide as their widest cells, with no blanks at line ends", () => {
    expect(
      table(
        ["id", "name"],
        [
          ["1", "Ada"],
          ["1000", ""],
        ],
      ),
    ).toBe(["ID    NAME", "1     Ada", "1000"].join("\n"));
  });

  it("stay aligned with characters that take two columns", () => {
    expect(
      table(
        ["name", "x"],
        [
          ["日本", "1"],
          ["a💻b", "2"],
          ["👩‍💻", "3"],
        ],
      ),
    ).toBe(["NAME  X", "日本  1", "a💻b  2", "👩‍💻    3"].join("\n"));
  });
});

describe("times", () => {
  it("are shown to the minute, in UTC", () => {
    expect(time(new Date("2026-01-31T09:05:59.999Z"))).toBe("2026-01-31 09:05");
    expect(time(null)).toBe("never");
  });
});
