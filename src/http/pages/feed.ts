/**
 * Feeds: `GET /changelog.atom` has what is new, `GET /status.atom` maintenance and incidents. Ids are derived from
 * those of the rows and never change. Texts are Markdown and are sent as HTML without any markup of their own
 * (`markdown.ts`).
 */
import { setImmediate } from "node:timers/promises";
import type { FastifyRequest, RouteOptions } from "fastify";
import type { AvailabilityReports } from "../../core/admin/availability.js";
import { type Announcement, type News, wasCalledOff } from "../../core/admin/news.js";
import type { Incident } from "../../core/admin/service-views.js";
import { type AtomEntry, atomFeed, uuidOf } from "./atom.js";

type FeedRoute = Pick<RouteOptions, "method" | "url" | "handler">;

interface FeedParts {
  http: { ownerName: () => string };
  dashboard: { news: Pick<News, "list" | "listWindows">; availability: Pick<AvailabilityReports, "read"> };
  publicUrl: string | undefined;
  feedId: string;
}

export const feedRoutes = (parts: FeedParts): FeedRoute[] => [changelogFeed(parts), statusFeed(parts)];

function changelogFeed(parts: FeedParts): FeedRoute {
  return feedRoute(parts, "changelog", parts.feedId, async (baseUrl) =>
    announcementEntries(await parts.dashboard.news.list(), baseUrl),
  );
}

function statusFeed(parts: FeedParts): FeedRoute {
  const { news, availability } = parts.dashboard;
  const { feedId } = parts;
  return feedRoute(parts, "status", uuidOf(`status ${feedId}`), async (baseUrl) => {
    const [windows, { incidents }] = await Promise.all([news.listWindows(), availability.read()]);
    const maintenance = windows.map((item) => ({ kind: "maintenance", item }) as const);
    return [
      ...(await announcementEntries(maintenance, baseUrl)),
      ...incidents.map((incident) => incidentEntry(incident, feedId)),
    ].sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
  });
}

function feedRoute(
  { http, publicUrl }: FeedParts,
  name: "changelog" | "status",
  id: string,
  entries: (baseUrl: string) => Promise<AtomEntry[]>,
): FeedRoute {
  return {
    method: "GET",
    url: `/${name}.atom`,
    handler: async (request: FastifyRequest, reply) => {
      const baseUrl = publicUrl ?? `${request.protocol}://${request.host}`;
      const ownerName = http.ownerName();
      reply.header("content-type", "application/atom+xml; charset=utf-8");
      reply.header("cache-control", "no-cache");
      return atomFeed({
        id,
        title: `${ownerName}: ${name}`,
        author: ownerName,
        address: `${baseUrl}/${name}.atom`,
        page: `${baseUrl}/${name}`,
        entries: await entries(baseUrl),
      });
    },
  };
}

async function announcementEntries(
  announcements: readonly Announcement[],
  baseUrl: string,
): Promise<AtomEntry[]> {
  // Loaded here: the service starts faster without it.
  const { markdownHtml } = await import("./markdown.js");
  const entries: AtomEntry[] = [];
  for (const announcement of announcements) {
    const { id, title, body, publishedAt, updatedAt } = announcement.item;
    const prefix = announcement.kind === "maintenance" ? "Maintenance: " : "";
    const html = times(announcement) + markdownHtml(body, baseUrl);
    entries.push({ id, title: prefix + title, publishedAt, updatedAt, html });
    // Between two texts, replies are streamed on.
    await setImmediate();
  }
  return entries;
}

/** Identified by its first hour; the entry is updated as the incident goes on. */
function incidentEntry({ startsAt, endsAt, models, failed }: Incident, feedId: string): AtomEntry {
  const requests = failed === 1 ? "1 request" : `${failed} requests`;
  return {
    id: uuidOf(`incident ${feedId} ${startsAt}`),
    title: `Incident: ${models.join(", ")}`,
    publishedAt: new Date(startsAt),
    // The start of its last hour: the end of an ongoing incident is in the future.
    updatedAt: new Date(Date.parse(endsAt) - 60 * 60_000),
    html: `<p>From ${startsAt} to ${endsAt}: ${requests} failed.</p>\n`,
  };
}

function times(announcement: Announcement): string {
  if (announcement.kind === "entry") return "";
  const { startsAt, endsAt, endedAt } = announcement.item;
  if (wasCalledOff(announcement.item)) return "<p>Called off: it does not take place.</p>\n";
  return `<p>From ${startsAt.toISOString()} to ${(endedAt ?? endsAt).toISOString()}.</p>\n`;
}
