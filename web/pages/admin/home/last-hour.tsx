/** The last hour of the server that answers, as small charts: one value for each minute, the newest at the right. */
import type { ReactNode } from "react";
import type { LiveMinute } from "../../../../src/core/admin/service-views.js";
import type { AdminHome } from "../../../../src/protocol/dashboard/admin.js";
import { Spark } from "../../../components/figures/spark.tsx";
import { Time } from "../../../components/text/time.tsx";
import { errorShare } from "../../app/usage/usage-stats.tsx";
import { formatBytes, formatCount, formatRate } from "../../../units.ts";

const minutesShown = 60;

export function LastHour({ home, stale }: { home: AdminHome; stale: boolean }) {
  const { minutes, machine, tokensPerSecond, running, waiting, capacity } = home;
  // The current minute is incomplete: the one before is the latest full one.
  const last = minutes.at(-2) ?? minutes.at(-1);
  const total = (of: (minute: LiveMinute) => number) => minutes.reduce((sum, minute) => sum + of(minute), 0);
  const requests = total((minute) => minute.requests);
  const errors = total((minute) => minute.errors);
  const refused = total((minute) => minute.refused);
  return (
    <section aria-labelledby="last-hour">
      <h2 id="last-hour" className="mb-3 text-base font-semibold">
        Last hour
      </h2>
      <div className="grid grid-cols-2 gap-px overflow-clip rounded-lg border border-line bg-line xl:grid-cols-4">
        <Tile
          label="Requests"
          value={formatCount(last?.requests ?? 0)}
          unit="per minute"
          hint={`${formatCount(requests)} in the last hour`}
        >
          <Spark
            label={`Requests by minute: ${requests} in the last hour`}
            values={padded(minutes, (minute) => minute.requests)}
          />
        </Tile>
        <Tile label="Errors" value={formatCount(errors)} hint={errorShare(errors, requests)}>
          <Spark
            tone="bad"
            label={`Errors by minute: ${errors} in the last hour`}
            values={padded(minutes, (minute) => minute.errors)}
          />
        </Tile>
        <Tile label="Refused" value={formatCount(refused)} hint="rate-limited, or no capacity">
          <Spark
            tone="warn"
            label={`Refused requests by minute: ${refused} in the last hour`}
            values={padded(minutes, (minute) => minute.refused)}
          />
        </Tile>
        <Tile
          label="Tokens"
          value={formatRate(tokensPerSecond)}
          unit="per second"
          hint="over the last ten seconds"
        >
          <Spark
            kind="line"
            label={`Tokens per second by minute: ${tokensPerSecond} now`}
            values={padded(minutes, (minute) => minute.tokensPerSecond)}
          />
        </Tile>
        <Tile
          label="Running"
          value={formatCount(running)}
          unit={`of ${formatCount(capacity)}`}
          hint="replies being generated"
        >
          <Spark
            kind="line"
            max={capacity}
            label={`Most replies running, by minute: ${running} of ${capacity} now`}
            values={padded(minutes, (minute) => minute.running)}
          />
        </Tile>
        <Tile
          label="Queue"
          value={formatCount(waiting)}
          unit="waiting"
          hint={waiting === 0 ? "no one is waiting" : "for a free sequence"}
        >
          <Spark
            tone="warn"
            label={`Longest queue by minute: ${waiting} waiting now`}
            values={padded(minutes, (minute) => minute.waiting)}
          />
        </Tile>
        <RoomTile
          label="Memory"
          room={machine.memory}
          values={padded(minutes, (minute) => minute.memoryBytes)}
          hint="of this machine or container"
        />
        <RoomTile
          label="Disk"
          room={machine.disk}
          values={padded(minutes, (minute) => minute.diskBytes)}
          hint="of the data directory"
        />
      </div>
      <p className="mt-2 text-sm text-muted">
        {stale ? "No response since the last update; retrying. " : ""}
        Counted by this server since it started <Time at={home.startedAt} />. Each replica counts its own;
        “Service usage” has the total.
      </p>
    </section>
  );
}

interface TileProps {
  label: string;
  value: string;
  unit?: string;
  hint: string;
  children: ReactNode;
}

function Tile({ label, value, unit, hint, children }: TileProps) {
  return (
    <div className="flex min-w-0 flex-col bg-surface px-4 py-4 sm:px-5">
      <h3 className="text-sm font-normal text-muted">{label}</h3>
      <p className="mt-0.5 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-xl font-[520] tabular-nums">{value}</span>
        {unit !== undefined && <span className="text-sm text-muted">{unit}</span>}
      </p>
      <p className="mb-3 text-sm text-muted">{hint}</p>
      <div className="mt-auto">{children}</div>
    </div>
  );
}

function RoomTile({
  label,
  room,
  values,
  hint,
}: {
  label: string;
  room: AdminHome["machine"]["memory"];
  values: readonly (number | null)[];
  hint: string;
}) {
  if (room === null) {
    return (
      <Tile label={label} value="–" hint="not known on this system">
        <Spark label={`${label}: not known`} values={[]} />
      </Tile>
    );
  }
  const used = (room.usedBytes / room.totalBytes).toLocaleString(undefined, { style: "percent" });
  const words = `${formatBytes(room.usedBytes)} of ${formatBytes(room.totalBytes)}`;
  const isFull = room.usedBytes / room.totalBytes > 0.9;
  return (
    <Tile label={label} value={used} unit={isFull ? "used, nearly full" : "used"} hint={`${words} ${hint}`}>
      <Spark
        kind="line"
        tone={isFull ? "bad" : "accent"}
        max={room.totalBytes}
        label={`${label}: ${words} used now`}
        values={values}
      />
    </Tile>
  );
}

/** A whole hour, with gaps before the server started. */
function padded(
  minutes: readonly LiveMinute[],
  of: (minute: LiveMinute) => number | null,
): (number | null)[] {
  const missing = Math.max(0, minutesShown - minutes.length);
  return [...Array.from({ length: missing }, () => null), ...minutes.map(of)];
}
