/** The log of signed statements in words, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { entryWords } from "../../src/protocol/proof/changes.js";
import type { WireSignedEntry, WireStatement } from "../../src/protocol/proof/shapes.js";
import { Button, ButtonLink } from "../components/controls/button.tsx";
import { Checkbox } from "../components/controls/checkbox.tsx";
import { Badge } from "../components/states/badge.tsx";
import { EmptyState } from "../components/states/empty-state.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { Time } from "../components/text/time.tsx";
import { useTitle } from "../hooks/use-title.ts";
import { readLog, type LogPage } from "./proof/verification.ts";

const entriesAtOnce = 99;

interface Shown {
  index: number;
  at: string;
  kind: WireSignedEntry["entry"]["type"];
  words: string[];
  isRoutine: boolean;
}

export default function Transparency() {
  useTitle("Transparency log");
  return (
    <div className="mx-auto max-w-5xl px-5 pt-14 sm:px-8 sm:pt-20">
      <header className="flex flex-wrap items-end justify-between gap-6">
        <div>
          <h1 className="text-3xl sm:text-4xl">Transparency log</h1>
          <p className="mt-3 max-w-2xl text-lg text-muted">
            Everything that this service has signed about itself, in an append-only log: what it ran, and when
            that changed.
          </p>
        </div>
        <ButtonLink href="/verify">Verify it</ButtonLink>
      </header>
      <div className="mt-10">
        <Entries />
      </div>
    </div>
  );
}

function Entries() {
  const [showsRoutine, setShowsRoutine] = useState(false);
  const log = useInfiniteQuery({
    queryKey: ["statement-log"],
    queryFn: ({ pageParam }) => readLog(pageParam, entriesAtOnce),
    initialPageParam: null as number | null,
    getNextPageParam: ({ from }) => (from === 0 ? undefined : from + 1),
  });
  if (log.data === undefined) return <LoadState query={log} what="the log" lines={6} />;
  const entries = log.data.pages.flatMap(shownOf);
  const visible = entries.filter(({ isRoutine }) => showsRoutine || !isRoutine);
  return (
    <>
      <Checkbox checked={showsRoutine} onChange={setShowsRoutine} label="Show renewals and daily keys, too" />
      <div className="mt-6">
        {visible.length === 0 ? (
          <div className="rounded-lg border border-line">
            <EmptyState icon={<ScrollText />} title="Nothing to show">
              {entries.length === 0
                ? "The first statement is signed when the service has started."
                : "Only renewals are in this part of the log."}
            </EmptyState>
          </div>
        ) : (
          <ol>
            {visible.map((entry) => (
              <Entry key={entry.index} entry={entry} />
            ))}
          </ol>
        )}
      </div>
      {log.hasNextPage && (
        <Button className="mt-6" pending={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  );
}

function Entry({ entry: { index, at, kind, words } }: { entry: Shown }) {
  return (
    <li className="grid gap-x-10 gap-y-2 border-t border-line py-6 md:grid-cols-[11rem_1fr]">
      <div className="flex items-center gap-3 text-sm text-muted md:flex-col md:items-start">
        <Time at={at} style="date" />
        <span className="tabular-nums">Entry {index}</span>
      </div>
      <div className="flex min-w-0 max-w-2xl flex-col gap-2 wrap-anywhere">
        {kind !== "statement" && (
          <span>
            <Badge tone={kind === "restored" ? "bad" : "warn"}>
              {kind === "restored" ? "Restored" : "Key"}
            </Badge>
          </span>
        )}
        {words.length === 0 ? (
          <p className="text-muted">Renewed, unchanged.</p>
        ) : (
          words.map((text) => <p key={text}>{text}</p>)
        )}
      </div>
    </li>
  );
}

/** Newest first. The first of a page is there for comparison, unless the log begins with it. */
function shownOf({ from, entries }: LogPage): Shown[] {
  const shown: Shown[] = [];
  let before: WireStatement | null = null;
  for (const [offset, signed] of entries.entries()) {
    const { entry } = signed;
    const words = entryWords(signed, before);
    const isRoutine = entry.type === "statement" && words.every((text) => text.includes(dailyKey));
    if (offset > 0 || from === 0)
      shown.push({ index: from + offset, at: entry.time, kind: entry.type, words, isRoutine });
    if (entry.type === "statement") before = entry;
  }
  return shown.reverse();
}

const dailyKey = "The key for encrypted bodies";
