/**
 * The application's one HTML file as each page serves it: with the page's own head, and preload hints for its scripts.
 * Crawlers and link previews run no scripts, so all that they read is in here. Absolute URLs need the configured public
 * URL; without one they are left out rather than taken from a request.
 */
import { documentTitle } from "../../protocol/document-title.js";
import {
  pageHead,
  publicAddresses,
  type PageAddress,
  type PageHead,
} from "../../protocol/pages/page-addresses.js";
import { escapeMarkup as escape } from "./markup.js";

/** Written by the build: the files that each address loads. */
export type RouteHints = Readonly<Record<string, readonly string[] | undefined>>;

export interface PageSource {
  /** `index.html`, with `headMark` in place of the page's head. */
  template: string;
  hints: RouteHints;
  publicUrl: string | undefined;
}

const headMark = "<!-- head -->";
const picture = { path: "/og.png", width: 1200, height: 630, alt: "Sotto: the chat API that forgets" };

export function pageHtml(source: PageSource, address: PageAddress): string {
  const head = pageHead(address);
  const hints = (source.hints[address] ?? []).map(hintTag);
  return source.template.replace(headMark, () =>
    [...headTags(head, address, source.publicUrl), ...hints].join("\n    "),
  );
}

/** For an address at which there is no page. */
export const notFoundHtml = ({ template }: PageSource): string =>
  template.replace(headMark, () =>
    headTags({ title: "Not found", description: null }, null, undefined).join("\n    "),
  );

/** The public pages. */
export function sitemap(baseUrl: string): string {
  const urls = publicAddresses.map(
    (address) => `  <url><loc>${escape(absolute(baseUrl, address))}</loc></url>\n`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("")}</urlset>
`;
}

function headTags({ title, description }: PageHead, address: string | null, publicUrl?: string): string[] {
  const shown = documentTitle(title);
  if (description === null || address === null) {
    return [`<title>${escape(shown)}</title>`, meta("name", "robots", "noindex")];
  }
  return [
    `<title>${escape(shown)}</title>`,
    meta("name", "description", description),
    meta("property", "og:type", "website"),
    meta("property", "og:site_name", "Sotto"),
    meta("property", "og:title", shown),
    meta("property", "og:description", description),
    ...(publicUrl === undefined ? [] : absoluteTags(publicUrl, address)),
  ];
}

function absoluteTags(publicUrl: string, address: string): string[] {
  const url = absolute(publicUrl, address);
  return [
    `<link rel="canonical" href="${escape(url)}" />`,
    meta("property", "og:url", url),
    meta("property", "og:image", absolute(publicUrl, picture.path)),
    meta("property", "og:image:width", String(picture.width)),
    meta("property", "og:image:height", String(picture.height)),
    meta("property", "og:image:alt", picture.alt),
    meta("name", "twitter:card", "summary_large_image"),
  ];
}

const meta = (kind: "name" | "property", name: string, content: string): string =>
  `<meta ${kind}="${name}" content="${escape(content)}" />`;

const hintTag = (file: string): string =>
  file.endsWith(".css")
    ? `<link rel="preload" as="style" crossorigin href="${escape(file)}" />`
    : `<link rel="modulepreload" crossorigin href="${escape(file)}" />`;

const absolute = (baseUrl: string, path: string): string => baseUrl.replace(/\/+$/, "") + path;
