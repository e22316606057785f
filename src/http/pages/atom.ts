/** An Atom 1.0 feed (RFC 4287). Every part is escaped here. */
import { createHash } from "node:crypto";
import { escapeMarkup as escape } from "./markup.js";

/** `updated` of an empty feed. */
const never = new Date(0);

export interface AtomFeed {
  /** A UUID. */
  id: string;
  title: string;
  author: string;
  address: string;
  /** The page that shows the same. */
  page: string;
  entries: readonly AtomEntry[];
}

export interface AtomEntry {
  /** A UUID that never changes: readers identify the entry by it. */
  id: string;
  title: string;
  publishedAt: Date;
  updatedAt: Date;
  html: string;
}

export function atomFeed({ id, title, author, address, page, entries }: AtomFeed): string {
  const updated = entries.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), never);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:uuid:${escape(id)}</id>
  <title>${escape(title)}</title>
  <updated>${updated.toISOString()}</updated>
  <author><name>${escape(author)}</name></author>
  <link rel="self" type="application/atom+xml" href="${escape(address)}"/>
  <link rel="alternate" type="text/html" href="${escape(page)}"/>
${entries.map((entry) => atomEntry(entry, page)).join("")}</feed>
`;
}

function atomEntry({ id, title, publishedAt, updatedAt, html }: AtomEntry, page: string): string {
  return `  <entry>
    <id>urn:uuid:${escape(id)}</id>
    <title type="text">${escape(title)}</title>
    <published>${publishedAt.toISOString()}</published>
    <updated>${updatedAt.toISOString()}</updated>
    <link rel="alternate" type="text/html" href="${escape(page)}"/>
    <content type="html">${escape(html)}</content>
  </entry>
`;
}

/** The same UUID for the same name, for what has no id of its own. */
export function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  // Version 8 (RFC 9562): application-specific.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
