import { expect, it } from "vitest";
import { MarkSearch, newMark } from "./marks.js";

const escapes = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const writings: Record<string, (mark: string) => Uint8Array> = {
  plain: (mark) => Buffer.from(`before ${mark} after`),
  "upper case": (mark) => Buffer.from(mark.toUpperCase()),
  hex: (mark) => Buffer.from(Buffer.from(mark).toString("hex")),
  "JSON-escaped": (mark) => Buffer.from(escapes(mark)),
  "URL-encoded": (mark) => Buffer.from(encodeURIComponent(mark)),
  "UTF-16": (mark) => Buffer.from(`.${mark}`, "utf16le"),
  "base64 at 0": (mark) => Buffer.from(Buffer.from(mark).toString("base64")),
  "base64 at 1": (mark) => Buffer.from(Buffer.from(`x${mark}`).toString("base64")),
  "base64 at 2": (mark) => Buffer.from(Buffer.from(`xx${mark}`).toString("base64")),
};

it.each(Object.entries(writings))("finds a mark in the form %s", (form, write) => {
  const mark = newMark();
  const search = new MarkSearch([newMark(), mark, newMark()]);
  expect(search.in(write(mark))).toContainEqual({ mark, form });
  expect(search.in(write(newMark()))).toEqual([]);
});

it("finds a mark wherever the text is cut, and counts it once", () => {
  const mark = newMark();
  const text = Buffer.from(`${"x".repeat(100)}${mark}${"y".repeat(100)}${mark}`);
  for (let cut = 1; cut < text.length; cut++) {
    const search = new MarkSearch([mark]);
    const hits = [...search.next(text.subarray(0, cut)), ...search.next(text.subarray(cut)), ...search.end()];
    expect(hits.filter(({ form }) => form === "plain")).toHaveLength(2);
  }
});

it("counts a mark at the end of a text once, beside a longer one that begins like it", () => {
  const longer = newMark();
  const mark = longer.slice(0, 36);
  const hits = new MarkSearch([longer, mark]).in(Buffer.from(mark));
  expect(hits.filter(({ form }) => form === "plain")).toEqual([{ mark, form: "plain" }]);
});

it("takes the end of one text and the beginning of the next for two texts", () => {
  const mark = newMark();
  const search = new MarkSearch([mark]);
  const [first, second] = [Buffer.from(mark.slice(0, 20)), Buffer.from(mark.slice(20))];
  expect([...search.in(first), ...search.in(second)].filter(({ form }) => form === "plain")).toEqual([]);
});
