import { describe, expect, it } from "vitest";
import { toCsv } from "./csv.js";

describe("CSV", () => {
  it.each([
    ["plain", "plain"],
    ["with, comma", '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@now", "'@now"],
    ["\t=1", "'\t=1"],
    ["\r=1", `"'\r=1"`],
    [`=HYPERLINK("x","y")`, `"'=HYPERLINK(""x"",""y"")"`],
    ["a=1", "a=1"],
    ["", ""],
    [-1, "-1"],
    [null, ""],
  ])("writes %j as %j", (value, cell) => {
    expect(toCsv(["name"], [[value]])).toBe(`name\r\n${cell}\r\n`);
  });
});
