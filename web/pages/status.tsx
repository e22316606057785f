import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Maintenance, Status as StatusReport } from "../../src/protocol/dashboard/api.js";
import type { ModelState } from "../../src/core/admin/service-views.js";
import { Rss } from "lucide-react";
import { ButtonAnchor } from "../components/controls/button.tsx";
import { Card } from "../components/frame/card.tsx";
import { MaintenanceWindow } from "../components/frame/maintenance-window.tsx";
import { Markdown } from "../components/text/markdown.tsx";
import { ModelMark } from "../components/models/model-name.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { StateBadge } from "../components/states/state-badge.tsx";
import { Time } from "../components/text/time.tsx";
import { cx } from "../cx.ts";
import { useTitle } from "../hooks/use-title.ts";
import { queries } from "../service/queries.ts";
import { StatusHistory } from "./status/history.tsx";
import { PrivacyCheck } from "./status/privacy-check.tsx";

export default function Status() {
  useTitle("Status");
  const read = useQuery(queries.status);
  return (
    <div className="mx-auto max-w-3xl px-5 pt-14 sm:px-8 sm:pt-20">
      <header className="flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-lg text-muted">Service status</h1>
        <ButtonAnchor href="/status.atom" icon={<Rss />} size="sm">
          Atom feed
        </ButtonAnchor>
      </header>
      {read.data === undefined ? (
        <div className="mt-8">
          <LoadState query={read} what="the status" lines={5} />
        </div>
      ) : (
        <Report status={read.data} stale={read.error !== null} />
      )}
    </div>
  );
}

function Report({ status, stale }: { status: StatusReport; stale: boolean }) {
  const { words, mark } = overall[status.overall];
  return (
    <>
      <p className="mt-2 flex gap-4 text-3xl font-[560] sm:text-4xl">
        <span className="flex h-lh shrink-0 items-center" aria-hidden>
          <span className={cx("size-3.5 rounded-full", mark)} />
        </span>
        {words}
      </p>
      <p className="mt-3 text-muted">
        Checked <Time at={status.checkedAt} />.{" "}
        {stale ? "No response since then; retrying every 15 seconds." : "Updates every 15 seconds."}
      </p>

      <div className="mt-12 flex flex-col gap-6">
        <Card title="Models" flush>
          <Rows>
            {status.models.map((model) => (
              <Row
                key={model.id}
                name={
                  <>
                    <ModelMark model={model.id} className="size-5 text-accent" />
                    {model.id}
                  </>
                }
                note={model.note === "" ? waitingNote(model) : model.note}
                state={model.state}
              />
            ))}
          </Rows>
        </Card>
        {status.parts.length > 0 && (
          <Card title="Other components" flush>
            <Rows>
              {status.parts.map((part) => (
                <Row key={part.name} name={part.name} note={part.note} state={part.state} />
              ))}
            </Rows>
          </Card>
        )}
        <Card title="Maintenance">
          {status.maintenance.length === 0 ? (
            <p className="text-muted">None scheduled.</p>
          ) : (
            <div className="flex flex-col gap-8">
              {status.maintenance.map((one) => (
                <Window key={one.id} maintenance={one} />
              ))}
            </div>
          )}
        </Card>
        <PrivacyCheck check={status.privacyCheck} />
        <StatusHistory />
      </div>
    </>
  );
}

function Rows({ children }: { children: ReactNode }) {
  return <ul className="divide-y divide-line">{children}</ul>;
}

function Row({ name, note, state }: { name: ReactNode; note: string; state: ModelState }) {
  return (
    <li className="flex items-center justify-between gap-6 px-5 py-3.5 sm:px-6">
      <div className="min-w-0">
        <p className="flex items-center gap-3 font-medium">{name}</p>
        {note !== "" && <p className="mt-0.5 text-sm text-muted">{note}</p>}
      </div>
      <StateBadge state={state} />
    </li>
  );
}

function Window({ maintenance }: { maintenance: Maintenance }) {
  return (
    <div>
      <h3 className="mb-1.5 font-medium">{maintenance.title}</h3>
      <MaintenanceWindow maintenance={maintenance} />
      <Markdown>{maintenance.body}</Markdown>
    </div>
  );
}

function waitingNote({ waiting, sharedWith }: StatusReport["models"][number]): string {
  if (waiting === 0) return "";
  const where = sharedWith.length === 0 ? "" : ` in the queue shared with ${sharedWith.join(" and ")}`;
  return waiting === 1 ? `1 request is waiting${where}.` : `${waiting} requests are waiting${where}.`;
}

const overall: Record<ModelState, { words: string; mark: string }> = {
  up: { words: "All systems operational", mark: "bg-good" },
  degraded: { words: "Partial outage", mark: "bg-warn" },
  maintenance: { words: "Under maintenance", mark: "bg-warn" },
  down: { words: "Major outage", mark: "bg-bad" },
};
