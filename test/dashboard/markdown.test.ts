/** What readers of the feed are given, held against what the page shows for the same text. */
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { markdownHtml } from "../../src/http/pages/markdown.js";
import { uniformNumbers } from "../support/inputs/uniform-numbers.js";
import { runs } from "../support/depth.js";

const base = "https://sotto.example";

/** By a name in a variable: the page is checked with the browser's types, this file with Node's. */
const page: string = "../../web/components/text/markdown.tsx";
const { Markdown } = (await import(page)) as { Markdown: FunctionComponent<{ children: string }> };

const onPage = (text: string): string => renderToStaticMarkup(createElement(Markdown, { children: text }));

/** Without what means nothing, and what a feed reader has no use for: space between blocks, frames, icons, buttons. */
const normal = (html: string): string =>
  html
    .replace(/^<div class="prose">([^]*)<\/div>$/, "$1")
    .replace(/<div role="group" aria-label="Table"[^>]*>(<table[^]*?<\/table>)<\/div>/g, "$1")
    .replace(
      /<div class="overflow-clip[^]*?<pre[^>]*>([^]*?)<\/pre>(?:<\/div>|<button[^]*?<\/button>|<span[^>]*><\/span>)*/g,
      "<pre>$1</pre>",
    )
    .replace(/<pre>[^]*?<\/pre>/g, (code) =>
      code.replace(/<\/?span[^>]*>/g, "").replace(/\n<\/code>/, "</code>"),
    )
    .replace(/<span class="text-muted">(\[image: .*?\])<\/span>/g, "$1")
    .replace(/<svg[^>]*aria-label="(Done|To do):"[^]*?<\/svg>/g, (_, state) => (state === "Done" ? "☑" : "☐"))
    .replace(/ style="text-align:(\w+)"/g, ' align="$1"')
    .replace(
      /\s*(<\/?(?:p|ul|ol|li|pre|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|th|td)\b[^>]*>)\s*/g,
      "$1",
    )
    .replace(/ (?:class|title|rel|target)="[^"]*"/g, "")
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
    "### Deep first\n\n# High\n\n#### Skips\n\n##### And on\n\n## Back",
    "| a | b |\n| :- | -: |\n| 1 | **2** |\n| only one |\n\nafter",
    "a | b\n- | :-:\n`x \\| y` | [l](https://e.example/)",
    "~~gone~~ and ~also~ and ~~~~ and a~b",
    "- [ ] open\n- [x] done **now**\n- plain",
    "1. [X] first\n\n2. [ ] loose",
    "see https://example.com/a?b=1&c=2, www.example.com/. or ada@example.com!",
    "(https://example.com/a_(b)) and [www.example.com](https://e.example/)",
    "a footnote[^1]\n\n[^1]: that is text",
    "مرحبا\n\n- واحد\n\n  two\n\n> שלום",
    "",
    "Ünïcödé 🚀 **größer** «_quoted_»",
  ])("reads as on the page: %j", (text) => {
    expect(normal(markdownHtml(text, base))).toBe(normal(onPage(text)));
  });

  it("has addresses without a host taken from the service", () => {
    expect(markdownHtml("[docs](/docs/api#x) [next](status)", base)).toBe(
      '<p dir="auto"><a href="https://sotto.example/docs/api#x">docs</a> <a href="https://sotto.example/status">next</a></p>',
    );
  });

  it("has descriptions in place of images", () => {
    expect(markdownHtml("![a <chart>](https://elsewhere.example/p.png) ![](x)", base)).toBe(
      '<p dir="auto">[image: a &lt;chart&gt;] [image: no description]</p>',
    );
  });

  const tags =
    /<\/?(?:p|h[3-6]|ul|ol|li|pre|code|blockquote|strong|em|del|table|thead|tbody|tr|th|td)>|<(?:p|h[3-6]|ul|ol|blockquote|table) dir="auto">|<ol start="\d+"(?: dir="auto")?>|<t[hd] align="(?:left|right|center)">|<(?:hr|br)\/>|<a href="(?:https?:|mailto:)[^"<>]*">|<\/a>/g;
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
      "|",
      "|-|-|\n",
      "~~",
      "- [x] ",
      "[^a]",
      "www.e.example",
      "a@e.example",
      "xmpp:a@e.example",
      "javascript:x",
      "https://e.example",
      "<b>",
      " ",
      "a",
    ];
    const next = uniformNumbers(7);
    for (let round = 0; round < runs(3_000); round++) {
      const length = 1 + Math.floor(next() * 40);
      const text = Array.from({ length }, () => words[Math.floor(next() * words.length)] ?? "").join("");
      const html = markdownHtml(text, base);
      expect(foreign(html), JSON.stringify(text)).toBe("");
      expect(opensAndCloses(html), JSON.stringify(text)).toBe(true);
    }
  });

  it("is shown as it is where it has more marks than anybody writes", () => {
    expect(markdownHtml("**a** ".repeat(800), base)).toContain(">**a** **a**");
    expect(markdownHtml("**a** ".repeat(300), base)).toContain("<strong>a</strong>");
    expect(markdownHtml("a\n".repeat(2_000), base)).toContain(">a\na");
    expect(onPage("**a** ".repeat(3_000))).toContain(">**a** **a**");
    expect(onPage(`~~~\n${"**a** ".repeat(3_000)}\n~~~\n\n**b**`)).toContain("<strong>b</strong>");
  });

  it("is shown as it is where a table would have far more cells than were written", () => {
    const table = (columns: number, rows: number) =>
      `${"|a".repeat(columns)}\n${"|-".repeat(columns)}\n${"a\n".repeat(rows)}`;
    expect(markdownHtml(table(5, 100), base)).toContain("<table");
    expect(markdownHtml(table(300, 700), base)).not.toContain("<table");
    expect(onPage(table(8, 50))).toContain("<table");
    expect(onPage(table(1_000, 5_000))).not.toContain("<table");
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
      "a\n",
      "|",
      "|-|\n",
      "|a|b|\n",
      "~~a~~ ",
      "- [ ] a\n",
      "a@b.c ",
      "www.a.b ",
      "http://a.b/!?",
      "[^a] ",
    ]) {
      const text = piece.repeat(Math.floor(20_000 / piece.length));
      expect(foreign(markdownHtml(text, base))).toBe("");
    }
  });
});

/** Whether every tag is closed by its own, in order. */
function opensAndCloses(html: string): boolean {
  const open: string[] = [];
  if (/<a [^>]*>(?:(?!<\/a>)[^])*<a /.test(html)) return false;
  for (const [, close, name = "", end] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
    if (end === "/") continue;
    if (close !== "/") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}
