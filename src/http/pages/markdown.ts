/**
 * An announcement's Markdown as HTML, for feed readers. micromark escapes everything that people wrote, tags included,
 * so every `<` of its output begins a tag of its own, and those are adjusted here: headings go below the page's own,
 * images become their description, task boxes characters, links are absolute and lead to http, https and mailto alone.
 */
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { footnotes, hasManyMarks, headingLevels } from "../../protocol/pages/markdown-rules.js";
import { escapeMarkup } from "./markup.js";

/** Relative addresses are resolved against `baseUrl`. */
export function markdownHtml(text: string, baseUrl: string): string {
  const level = headingLevels();
  const html = rendered(text)
    .replace(/<h([1-6])>([^]*?)<\/h\1>/g, (_, written: string, words: string) => {
      const shown = level(Number(written));
      return `<h${shown}>${words}</h${shown}>`;
    })
    .replace(
      /<img src="[^"]*" alt="([^"]*)"[^>]*>/g,
      (_, description: string) => `[image: ${description || "no description"}]`,
    )
    .replace(/<input type="checkbox"[^>]*>/g, (box) => (box.includes("checked=") ? "☑" : "☐"))
    .replace(/<a href="([^"]*)"[^>]*>([^]*?)<\/a>/g, (_, address: string, label: string) => {
      const url = safeUrl(address.replaceAll("&amp;", "&"), baseUrl);
      return url === null ? label : `<a href="${escapeMarkup(url)}">${label}</a>`;
    })
    .replace(/<code class="[^"]*">/g, "<code>")
    .replaceAll(" />", "/>")
    .replaceAll("'", "&#39;");
  return withDirections(html);
}

/** micromark takes milliseconds for a text within it. */
const mostMarks = 1_500;

/** Tags are text like any other. */
const withoutHtml = { disable: { null: ["htmlFlow", "htmlText", ...footnotes] } };

const mostKept = 500;
const kept = new Map<string, string>();

/** Feeds are polled, and rendering takes milliseconds: each text is rendered once. */
function rendered(text: string): string {
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= mostKept) kept.clear();
  const html = hasManyMarks(text, mostMarks)
    ? `<p>${escapeMarkup(text)}</p>`
    : micromark(text, { extensions: [gfm(), withoutHtml], htmlExtensions: [gfmHtml()] });
  kept.set(text, html);
  return html;
}

/**
 * Each outermost block is written from the side of its own first letter: browsers leave out nested ones that have a
 * `dir`.
 */
function withDirections(html: string): string {
  let depth = 0;
  return html.replace(/<(\/?)(?:p|h\d|ul|ol|blockquote|table)(?: [^>]*)?>/g, (tag: string, close: string) => {
    if (close === "/") {
      depth -= 1;
      return tag;
    }
    depth += 1;
    return depth === 1 ? tag.replace(">", ' dir="auto">') : tag;
  });
}

const allowedProtocols = ["http:", "https:", "mailto:"];

/** Null for an address that could do anything but open a page or a mail; micromark has emptied the dangerous ones. */
function safeUrl(address: string, baseUrl: string): string | null {
  const page = `${baseUrl}/changelog`;
  if (address === "" || !URL.canParse(address, page)) return null;
  const url = new URL(address, page);
  return allowedProtocols.includes(url.protocol) ? url.href : null;
}
