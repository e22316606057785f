/** What readers of the feed are given, held against what the page shows for the same text. */
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import { describe, expect, it } from "vitest";
import { markdownHtml } from "../../src/http/pages/markdown.js";
import { uniformNumbers } from "../support/inputs/uniform-numbers.js";

const base = "https://sotto.example";

/** CommonMark, with the page's levels of headings. */
const onPage = (text: string): string =>
  renderToStaticMarkup(
    createElement(ReactMarkdown, { components: { h1: "h3", h2: "h3", h3: "h4", h5: "h4", h6: "h4" } }, text),
  );

/** Without what means nothing: the space between blocks, the language of code, titles. */
const normal = (html: string): string =>
  html
    .replace(/\s*(<\/?(?:p|ul|ol|li|pre|blockquote|h[1-6]|hr|br)\b[^>]*>)\s*/g, "$1")
    .replace(/ (?:class|title)="[^"]*"/g, "")
    .replaceAll("&#39;", "&#x27;")
    .trim();

describe("an announcement's text", () => {
  it.each([
    "Now with **more** tokens, _less_ waiting and `code`.",
    "One\nparagraph.\n\nAnother  \nwith a break\\\nand a second.",
    "# Title\n\n## Part ##\n\n### Smaller\n\ntext\n\nUnderlined\n===\n\nTwice\n---",
    "- one\n- two\n  with more\n- three\n\n1. first\n2. second",
    "- loose\n\n- list\n\n  second paragraph",
    "7. seven\n8. eight",
    "- outer\n  - inner **bold**\n    - innermost\n- outer again",
    "```js\nconst a = '<b>';\n\n// *not* emphasis\n```\n\nafter",
    "~~~\n``` inside\n~~~",
    "    indented <code>\n\n    more\n\ntext",
    "> quoted\n> **text**\nlazily continued\n\n> - list in it",
    "before\n\n***\n\nafter",
    "[a link](https://example.com/a?b=1&c=2) and <https://example.com/> and [with (parens)](https://example.com/a_(b))",
    '[titled](https://example.com/t "A title"), [angle](<https://example.com/x>)',
    "snake_case_stays, *emphasised*, **strong _and_ em**, ***both***, 2 * 3 * 4",
    "*a **b** c* and **a *b* c** and _a_b and foo*bar*baz",
    "\\*not emphasis\\* \\# \\[no link\\](x) a\\b",
    "`` a ` b `` and ` `` ` and `unclosed",
    "a < b && c > d \"quoted\" 'single'",
    "* star list\n* two\n+ another\n\ntext\n1) paren\n2) two",
    "1986. a year\n\nThe number is\n1986. It was good.",
    "unbalanced **strong and *em and ](x) [y",
    "",
    "Ünïcödé 🚀 **größer** «_quoted_»",
  ])("reads as on the page: %j", (text) => {
    expect(normal(markdownHtml(text, base))).toBe(normal(onPage(text)));
  });

  it("has addresses without a host taken from the service", () => {
    expect(markdownHtml("[docs](/docs/api#x) [next](status)", base)).toBe(
      '<p><a href="https://sotto.example/docs/api#x">docs</a> <a href="https://sotto.example/status">next</a></p>',
    );
  });

  it("has descriptions in place of images", () => {
    expect(markdownHtml("![a <chart>](https://elsewhere.example/p.png) ![](x)", base)).toBe(
      "<p>[image: a &lt;chart&gt;] [image: no description]</p>",
    );
  });

  const tags =
    /<\/?(?:p|h3|h4|ul|ol|li|pre|code|blockquote|strong|em)>|<ol start="\d+">|<(?:hr|br)\/>|<a href="(?:https?:|mailto:)[^"<>]*">|<\/a>/g;
  /** Nothing but our tags, and text that no reader could take for others. */
  const foreign = (html: string): string => html.replace(tags, "").replace(/[^<>"']/g, "");

  it.each([
    '<script>alert(1)</script> <img src=x onerror="alert(1)">',
    "[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](data:text/html,<b>) [x](vbscript:x)",
    "[x](java\\\nscript:alert(1)) [x](<java script:alert(1)>) [x](\u0001javascript:alert(1))",
    '[x](https://e.example/"onmouseover="alert(1)) <https://e.example/"onclick="a>',
    "[<script>alert(1)</script>](https://e.example) ![<script>](x)",
    "```<script>\n</code></pre><script>alert(1)</script>\n```",
    "&lt;script&gt; &#60;script&#62;",
    "# <h1>\n> <q>\n- <li>\n\n    </pre><b>",
    "<javascript:alert(1)> <a@b.example> <x onclick=y>",
  ])("never becomes markup of its own: %j", (text) => {
    const html = markdownHtml(text, base);
    expect(foreign(html)).toBe("");
    expect(html).not.toMatch(/href="(?!https?:|mailto:)/);
  });

  it("never becomes markup of its own, whatever it is made of", () => {
    const pieces = [
      "<",
      ">",
      '"',
      "'",
      "&",
      "[",
      "]",
      "(",
      ")",
      "!",
      "*",
      "_",
      "`",
      "```",
      "\\",
      "\n",
      "\n\n",
      "    ",
    ];
    const words = [
      ...pieces,
      "# ",
      "> ",
      "- ",
      "1. ",
      "~~~\n",
      "javascript:x",
      "https://e.example",
      "<b>",
      " ",
      "a",
    ];
    const next = uniformNumbers(7);
    for (let round = 0; round < 3_000; round++) {
      const length = 1 + Math.floor(next() * 40);
      const text = Array.from({ length }, () => words[Math.floor(next() * words.length)] ?? "").join("");
      const html = markdownHtml(text, base);
      expect(foreign(html), JSON.stringify(text)).toBe("");
      expect(opensAndCloses(html), JSON.stringify(text)).toBe(true);
    }
  });

  it("is shown as it is where it has more marks than anybody writes", () => {
    expect(markdownHtml("**a** ".repeat(800), base)).toContain("<p>**a** **a**");
    expect(markdownHtml("**a** ".repeat(300), base)).toContain("<strong>a</strong>");
  });

  it("is read to its end however it is nested or repeated", () => {
    for (const piece of [
      "<",
      "[",
      "![",
      "[a](",
      "*a _b",
      "`",
      "> ",
      "- ",
      "**",
      "a**b*",
      "[[](x)",
      "](",
      "\n> - 1. ",
      "```\n",
      "<a@",
    ]) {
      const text = piece.repeat(Math.floor(20_000 / piece.length));
      expect(foreign(markdownHtml(text, base))).toBe("");
    }
  });
});

/** Whether every tag is closed by its own, in order. */
function opensAndCloses(html: string): boolean {
  const open: string[] = [];
  for (const [, close, name = "", end] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
    if (end === "/") continue;
    if (close !== "/") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}
