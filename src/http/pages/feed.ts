/**
 * `GET /changelog.atom`: what is new, for feed readers (Atom 1.0, RFC 4287). Ids are made from those of the
 * rows and never change. Texts are Markdown and go out as HTML whose tags are all ours (`markdown.ts`); what people
 * wrote is escaped in it, so no reader takes it for markup.
 */
import type { RouteOptions } from "fastify";
import { wasCalledOff, type Announcement } from "../../core/operator/news.js";
import type { DashboardParts } from "../dashboard/parts.js";
import { markdownHtml } from "./markdown.js";
import { escapeMarkup as escape } from "./markup.js";

/** For `updated` of a feed in which nothing has happened yet. */
const never = new Date(0);

interface FeedHead {
  id: string;
  ownerName: string;
  /** The service's address, without a slash at the end. */
  baseUrl: string;
}

export function feedRoute({
  http,
  dashboard,
  publicUrl,
  feedId,
}: DashboardParts): Pick<RouteOptions, "method" | "url" | "handler"> {
  const { ownerName } = http.config;
  return {
    method: "GET",
    url: "/changelog.atom",
    handler: async (request, reply) => {
      const baseUrl = publicUrl ?? `${request.protocol}://${request.host}`;
      reply.header("content-type", "application/atom+xml; charset=utf-8");
      reply.header("cache-control", "no-cache");
      return atomFeed({ id: feedId, ownerName, baseUrl }, await dashboard.news.list());
    },
  };
}

function atomFeed({ id, ownerName, baseUrl }: FeedHead, announcements: readonly Announcement[]): string {
  const updated = announcements.reduce(
    (latest, { item }) => (item.updatedAt > latest ? item.updatedAt : latest),
    never,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:uuid:${escape(id)}</id>
  <title>${escape(ownerName)}: changelog</title>
  <updated>${updated.toISOString()}</updated>
  <author><name>${escape(ownerName)}</name></author>
  <link rel="self" type="application/atom+xml" href="${escape(baseUrl)}/changelog.atom"/>
  <link rel="alternate" type="text/html" href="${escape(baseUrl)}/changelog"/>
${announcements.map((announcement) => entry(announcement, baseUrl)).join("")}</feed>
`;
}

function entry(announcement: Announcement, baseUrl: string): string {
  const { id, title, body, publishedAt, updatedAt } = announcement.item;
  const prefix = announcement.kind === "maintenance" ? "Maintenance: " : "";
  return `  <entry>
    <id>urn:uuid:${escape(id)}</id>
    <title type="text">${escape(prefix + title)}</title>
    <published>${publishedAt.toISOString()}</published>
    <updated>${updatedAt.toISOString()}</updated>
    <link rel="alternate" type="text/html" href="${escape(baseUrl)}/changelog"/>
    <content type="html">${escape(times(announcement) + markdownHtml(body, baseUrl))}</content>
  </entry>
`;
}

function times(announcement: Announcement): string {
  if (announcement.kind === "entry") return "";
  const { startsAt, endsAt, endedAt } = announcement.item;
  if (wasCalledOff(announcement.item)) return "<p>Called off: it does not take place.</p>\n";
  return `<p>From ${startsAt.toISOString()} to ${(endedAt ?? endsAt).toISOString()}.</p>\n`;
}
