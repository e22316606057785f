/**
 * An announcement's Markdown as HTML, for feed readers. micromark escapes everything that people wrote, tags included,
 * so every `<` of its output begins a tag of its own, and those are adjusted here: headings go below the page's own,
 * images become their description, links are absolute and lead to http, https and mailto alone.
 */
import { micromark } from "micromark";
import { escapeMarkup } from "./markup.js";

/** Relative addresses are resolved against `baseUrl`. */
export function markdownHtml(text: string, baseUrl: string): string {
  return rendered(text)
    .replace(/(<\/?)h([1-6])>/g, (_, open: string, level: string) => `${open}h${Number(level) <= 2 ? 3 : 4}>`)
    .replace(
      /<img src="[^"]*" alt="([^"]*)"[^>]*>/g,
      (_, description: string) => `[image: ${description || "no description"}]`,
    )
    .replace(/<a href="([^"]*)"[^>]*>([^]*?)<\/a>/g, (_, address: string, label: string) => {
      const url = safeUrl(address.replaceAll("&amp;", "&"), baseUrl);
      return url === null ? label : `<a href="${escapeMarkup(url)}">${label}</a>`;
    })
    .replace(/<code class="[^"]*">/g, "<code>")
    .replaceAll(" />", "/>")
    .replaceAll("'", "&#39;");
}

/** Tags are text like any other. */
const withoutHtml = { disable: { null: ["htmlFlow", "htmlText"] } };

/**
 * micromark's time grows with the square of what may open and close something: 20,000 brackets would block the event loop
 * for seconds. A text with so many that nobody wrote it by hand is shown as it is.
 */
const hasManyMarks = (text: string): boolean =>
  (text.match(/[[\]()*_`<>!]|^[ \t]*(?:[-+]|\d+[.)])[ \t]/gm)?.length ?? 0) > 1_500;

const mostKept = 500;
const kept = new Map<string, string>();

/** Feeds are polled, and rendering takes milliseconds: each text is rendered once. */
function rendered(text: string): string {
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= mostKept) kept.clear();
  const html = hasManyMarks(text)
    ? `<p>${escapeMarkup(text)}</p>`
    : micromark(text, { extensions: [withoutHtml] });
  kept.set(text, html);
  return html;
}

const allowedProtocols = ["http:", "https:", "mailto:"];

/** Null for an address that could do anything but open a page or a mail; micromark has emptied the dangerous ones. */
function safeUrl(address: string, baseUrl: string): string | null {
  const page = `${baseUrl}/changelog`;
  if (address === "" || !URL.canParse(address, page)) return null;
  const url = new URL(address, page);
  return allowedProtocols.includes(url.protocol) ? url.href : null;
}
