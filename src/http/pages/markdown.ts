/**
 * An announcement's Markdown as HTML, for readers of the feed. The pages have a renderer of their own, in the
 * browser; this one is what the service needs and no more: CommonMark without reference links, HTML blocks and
 * entities, which stay text. Every character of the source is escaped on its way out, so the only tags are the
 * ones written here; images become their description, links lead to http, https and mailto alone. Time grows with
 * the length of the text, and what is nested too deeply is text.
 */
import { inlineHtml } from "./markdown-inline.js";
import { escapeMarkup } from "./markup.js";

const deepest = 8;

/** `baseUrl` is what addresses without a host are taken from. */
export function markdownHtml(text: string, baseUrl: string): string {
  return blocksHtml(text.replaceAll("\t", "    ").split("\n"), { baseUrl, depth: 0, tight: false });
}

interface Place {
  baseUrl: string;
  depth: number;
  /** In a list without blank lines paragraphs have no tags of their own. */
  tight: boolean;
}

/** A block's HTML, and the number of the line after it. */
interface Block {
  html: string;
  next: number;
}

type Reader = (lines: readonly string[], at: number, place: Place) => Block | null;

function blocksHtml(lines: readonly string[], place: Place): string {
  if (place.depth > deepest) return paragraph(lines.join("\n"), place);
  const html: string[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const block = readBlock(lines, at, place);
    html.push(block.html);
    at = block.next;
  }
  return html.join("\n");
}

function readBlock(lines: readonly string[], at: number, place: Place): Block {
  for (const read of readers) {
    const block = read(lines, at, place);
    if (block !== null) return block;
  }
  return readParagraph(lines, at, place);
}

const readFence: Reader = (lines, at) => {
  const [, indent = "", fence] = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/.exec(lines[at] ?? "") ?? [];
  if (fence === undefined) return null;
  const isEnd = (line: string) => {
    const trimmed = line.trim();
    return (
      trimmed.length >= fence.length &&
      indentOf(line) < 4 &&
      trimmed === fence.charAt(0).repeat(trimmed.length)
    );
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end += 1;
  const code = lines.slice(at + 1, end).map((line) => unindented(line, indent.length));
  return { html: codeHtml(code), next: end + 1 };
};

const readIndentedCode: Reader = (lines, at) => {
  const isCode = (line: string) => indentOf(line) >= 4;
  if (!isCode(lines[at] ?? "")) return null;
  let end = at;
  for (let look = at; look < lines.length; look++) {
    const line = lines[look] ?? "";
    if (isCode(line) && !isBlank(line)) end = look + 1;
    else if (!isBlank(line)) break;
  }
  return { html: codeHtml(lines.slice(at, end).map((line) => unindented(line, 4))), next: end };
};

const codeHtml = (lines: readonly string[]): string =>
  `<pre><code>${escapeMarkup(lines.map((line) => `${line}\n`).join(""))}</code></pre>`;

const readHeading: Reader = (lines, at, place) => {
  const found = /^ {0,3}(#{1,6})(?: (.*))?$/.exec(lines[at] ?? "");
  if (found === null) return null;
  const text = (found[2] ?? "").trim().replace(/(?:^| )#+$/, "");
  return { html: heading(found[1]?.length ?? 1, text, place), next: at + 1 };
};

/** As on the page, whose own headings stand above those in a text. */
function heading(level: number, text: string, { baseUrl }: Place): string {
  const tag = level <= 2 ? "h3" : "h4";
  return `<${tag}>${inlineHtml(text.trim(), baseUrl)}</${tag}>`;
}

const readRule: Reader = (lines, at) => (isRule(lines[at] ?? "") ? { html: "<hr/>", next: at + 1 } : null);

const isRule = (line: string): boolean =>
  indentOf(line) < 4 && /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replaceAll(" ", ""));

const readQuote: Reader = (lines, at, place) => {
  const inner: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const quoted = /^ {0,3}> ?(.*)$/.exec(line)?.[1];
    if (quoted === undefined && (inner.length === 0 || !continuesParagraph(line, inner.at(-1)))) break;
    inner.push(quoted ?? line);
  }
  if (inner.length === 0) return null;
  const html = blocksHtml(inner, { ...place, depth: place.depth + 1, tight: false });
  return { html: `<blockquote>\n${html}\n</blockquote>`, next };
};

interface Marker {
  /** What items of one list have in common. */
  kind: string;
  start: number;
  /** Where the item's text begins. */
  width: number;
}

function markerOf(line: string): Marker | null {
  const found = /^( {0,3})([-*+]|(\d{1,9})([.)]))( +|$)/.exec(line);
  if (found === null || isRule(line)) return null;
  const [whole, indent = "", sign = "", number, end = sign, spaces = ""] = found;
  // More than four spaces after it are the item's own: it begins with code.
  const isPlain = spaces.length >= 1 && spaces.length <= 4 && whole.length < line.length;
  return {
    kind: end,
    start: Number(number ?? 0),
    width: isPlain ? whole.length : indent.length + sign.length + 1,
  };
}

const readList: Reader = (lines, at, place) => {
  const first = markerOf(lines[at] ?? "");
  if (first === null) return null;
  const items: string[][] = [];
  let next = at;
  let hasGap = false;
  for (;;) {
    const marker = markerOf(lines[next] ?? "");
    if (marker?.kind !== first.kind) break;
    const end = endOfItem(lines, next, marker.width);
    const item = lines
      .slice(next, end)
      .map((line, row) => (row === 0 ? line.slice(marker.width) : unindented(line, marker.width)));
    const afterGap = skipBlank(lines, end);
    const goesOn = markerOf(lines[afterGap] ?? "")?.kind === first.kind;
    hasGap ||= hasBlankBetween(item) || (goesOn && afterGap > end);
    items.push(item);
    next = goesOn ? afterGap : end;
  }
  const inner = { ...place, depth: place.depth + 1, tight: !hasGap };
  const html = items.map((item) => `<li>${blocksHtml(item, inner)}</li>`).join("\n");
  const isOrdered = first.kind === "." || first.kind === ")";
  const open = isOrdered ? (first.start === 1 ? "<ol>" : `<ol start="${first.start}">`) : "<ul>";
  return { html: `${open}\n${html}\n${isOrdered ? "</ol>" : "</ul>"}`, next };
};

/** The line after the item that begins at `at`: what is indented below it, and lines that go on its paragraph. */
function endOfItem(lines: readonly string[], at: number, width: number): number {
  let end = at + 1;
  for (let look = at + 1; look < lines.length; look++) {
    const line = lines[look] ?? "";
    if (isBlank(line)) continue;
    // Among items a number other than 1 begins the next one.
    const goesOn = look === end && markerOf(line) === null && continuesParagraph(line, lines[look - 1]);
    const isInside = indentOf(line) >= width || goesOn;
    if (!isInside) break;
    end = look + 1;
  }
  return end;
}

const hasBlankBetween = (item: readonly string[]): boolean =>
  item.some((line, row) => row > 0 && isBlank(line) && !isBlank(item[row - 1]));

function skipBlank(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && isBlank(lines[next])) next += 1;
  return next;
}

function readParagraph(lines: readonly string[], at: number, place: Place): Block {
  const text = [lines[at] ?? ""];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const underline = /^ {0,3}(=+|-+) *$/.exec(line)?.[1];
    if (underline !== undefined) {
      const level = underline.startsWith("=") ? 1 : 2;
      return { html: heading(level, joined(text), place), next: next + 1 };
    }
    if (!continuesParagraph(line, text.at(-1))) break;
    text.push(line);
  }
  return { html: paragraph(joined(text), place), next };
}

function paragraph(text: string, { tight, baseUrl }: Place): string {
  const html = inlineHtml(text, baseUrl);
  return tight ? html : `<p>${html}</p>`;
}

/** Spaces at the end of a line may mean a break, at its beginning they mean nothing. */
const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd();

/** Whether a line without a marker of its own belongs to the paragraph that the line before is in. */
function continuesParagraph(line: string, before: string | undefined): boolean {
  if (isBlank(line) || isBlank(before)) return false;
  return (
    !isRule(line) &&
    !/^ {0,3}(?:#{1,6}(?: |$)|>|~{3}|`{3,}[^`]*$)/.test(line) &&
    // A list within a paragraph begins with 1 and is not empty: a number at the start of a line is likelier.
    !/^ {0,3}(?:[-*+]|1[.)]) +\S/.test(line)
  );
}

const readers: readonly Reader[] = [readIndentedCode, readFence, readHeading, readRule, readQuote, readList];

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === "";

const indentOf = (line: string): number => line.length - line.trimStart().length;

const unindented = (line: string, width: number): string => line.slice(Math.min(width, indentOf(line)));
