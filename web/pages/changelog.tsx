import { useQuery } from "@tanstack/react-query";
import { ScrollText, Rss } from "lucide-react";
import type { ChangelogEntry } from "../../src/protocol/dashboard/api.js";
import { Badge } from "../components/states/badge.tsx";
import { ButtonAnchor } from "../components/controls/button.tsx";
import { EmptyState } from "../components/states/empty-state.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { MaintenanceWindow } from "../components/frame/maintenance-window.tsx";
import { Markdown } from "../components/text/markdown.tsx";
import { Time } from "../components/text/time.tsx";
import { useTitle } from "../hooks/use-title.ts";
import { queries } from "../service/queries.ts";

export default function Changelog() {
  useTitle("Changelog");
  return (
    <div className="mx-auto max-w-5xl px-5 pt-14 sm:px-8 sm:pt-20">
      <header className="flex flex-wrap items-end justify-between gap-6">
        <div>
          <h1 className="text-3xl sm:text-4xl">Changelog</h1>
          <p className="mt-3 text-lg text-muted">Changes and scheduled maintenance.</p>
        </div>
        <ButtonAnchor href="/changelog.atom" icon={<Rss />}>
          Atom feed
        </ButtonAnchor>
      </header>
      <div className="mt-14">
        <Entries />
      </div>
    </div>
  );
}

function Entries() {
  const read = useQuery(queries.changelog);
  const { data } = read;
  if (data === undefined) return <LoadState query={read} what="the changelog" lines={6} />;
  if (data.entries.length === 0) {
    return (
      <div className="rounded-lg border border-line">
        <EmptyState icon={<ScrollText />} title="Nothing announced yet">
          Changes and scheduled maintenance will appear here and in the feed.
        </EmptyState>
      </div>
    );
  }
  return data.entries.map((entry) => <Entry key={entry.id} entry={entry} />);
}

function Entry({ entry }: { entry: ChangelogEntry }) {
  return (
    <article
      id={entry.id}
      aria-labelledby={`${entry.id}-title`}
      className="grid gap-x-10 gap-y-3 border-t border-line py-10 md:grid-cols-[11rem_1fr]"
    >
      <div className="flex items-center gap-3 text-sm text-muted md:flex-col md:items-start md:pt-1">
        <Time at={entry.publishedAt} style="date" />
        {entry.kind === "maintenance" && <Badge tone="warn">Maintenance</Badge>}
      </div>
      <div className="min-w-0 max-w-2xl">
        <h2 id={`${entry.id}-title`} dir="auto" className="mb-3 text-xl">
          {entry.title}
        </h2>
        {entry.maintenance !== null && <MaintenanceWindow maintenance={entry.maintenance} />}
        <Markdown>{entry.body}</Markdown>
      </div>
    </article>
  );
}
