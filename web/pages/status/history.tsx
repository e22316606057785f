/** The last 90 days: availability by model, incidents, maintenance that took place. */
import { useQuery } from "@tanstack/react-query";
import type { Incident } from "../../../src/core/admin/service-views.js";
import type { StatusHistory as History } from "../../../src/protocol/dashboard/admin.js";
import { Card } from "../../components/frame/card.tsx";
import { MaintenanceWindow } from "../../components/frame/maintenance-window.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { Markdown } from "../../components/text/markdown.tsx";
import { Summary } from "../../components/text/summary.tsx";
import { Time, TimeRange } from "../../components/text/time.tsx";
import { adminQueries } from "../../service/admin.ts";
import { plural } from "../../units.ts";
import { ModelAvailability } from "./model-availability.tsx";

export function StatusHistory() {
  const read = useQuery(adminQueries.history);
  const { data } = read;
  return (
    <>
      <Card title="Availability" description="Share of requests answered, over the last 90 days.">
        <Loaded query={read} what="the history" lines={9}>
          {(data) => <Availability history={data} />}
        </Loaded>
      </Card>
      <Card title="Incidents">
        {data === undefined ? (
          <SkeletonLines lines={1} />
        ) : data.incidents.length === 0 ? (
          <p className="text-muted">None in the last 90 days.</p>
        ) : (
          <Incidents incidents={data.incidents} />
        )}
      </Card>
      <Card title="Past maintenance">
        {data === undefined ? (
          <SkeletonLines lines={1} />
        ) : data.maintenance.length === 0 ? (
          <p className="text-muted">None in the last 90 days.</p>
        ) : (
          <div className="flex flex-col gap-6">
            {data.maintenance.map((one) => (
              <div key={one.id}>
                <h3 className="mb-1.5 font-medium wrap-anywhere">{one.title}</h3>
                <MaintenanceWindow maintenance={one} />
                <Markdown>{one.body}</Markdown>
              </div>
            ))}
          </div>
        )}
      </Card>
    </>
  );
}

function Availability({ history: { models, since } }: { history: History }) {
  return (
    <div className="flex flex-col gap-6">
      {models.map((one) => (
        <ModelAvailability key={one.model} {...one} />
      ))}
      <div className="text-sm text-muted">
        <p>
          A request counts as failed if it was answered with 500 or 503. Requests refused during scheduled
          maintenance are left out; those over a limit or invalid count as answered. An hour in which at least
          3 requests and 5% of all failed is an incident. Days are in UTC.
        </p>
        <p className="mt-1.5">
          While no server is running, no requests are counted.
          {since !== null && (
            <>
              {" "}
              Counted since <Time at={since} style="date" />.
            </>
          )}
        </p>
      </div>
    </div>
  );
}

/** The newest ones; the others are collapsed. */
function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  const older = incidents.slice(newest);
  return (
    <>
      <IncidentList incidents={incidents.slice(0, newest)} />
      {older.length > 0 && (
        <details className="group mt-4">
          <Summary>{plural(older.length, "older incident")}</Summary>
          <div className="mt-4">
            <IncidentList incidents={older} />
          </div>
        </details>
      )}
    </>
  );
}

const newest = 5;

function IncidentList({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <ul className="flex flex-col gap-4">
      {incidents.map((incident) => (
        <IncidentLine key={incident.startsAt} incident={incident} />
      ))}
    </ul>
  );
}

function IncidentLine({ incident: { startsAt, endsAt, models, failed } }: { incident: Incident }) {
  return (
    <li>
      <p className="font-medium">{models.join(", ")}</p>
      <p className="text-sm text-muted">
        <TimeRange from={startsAt} to={endsAt} />. {plural(failed, "request")} failed.
      </p>
    </li>
  );
}
