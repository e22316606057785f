/**
 * What commits cost the event loop: its delay idle, under 20,000 commits a minute with SQLite on the same thread, and
 * under the same with SQLite in threads. The three alternate, several times, so that other load on the machine
 * affects all of them. Then the peak number of commits per second of each.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FullStore } from "../../src/store/full-store.js";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { testPlan } from "../../test/support/stores/temporary-store.js";
import { median, percentile } from "../statistics.js";
import { loopDelayDuring, type LoopDelay } from "./loop-delay.js";

const commitsPerMinute = 20_000;
const rounds = 5;
const roundMs = 6_000;
const writers = 64;
const writesAtFull = 2_000;

interface Measured extends LoopDelay {
  perMinute: number;
  commitP50Ms: number;
  commitP99Ms: number;
}

export async function benchCommits(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-commits-"));
  const open = (name: string, threads?: object): Promise<FullStore> =>
    openSqliteStore({ path: databasePath(join(folder, name)), defaultPlan: testPlan, threads });
  const before = await open("before");
  const after = await open("after", {});
  try {
    const contenders = { idle: null, "on the event loop": before, "in threads": after };
    await Promise.all([before.ping(), after.ping()]);
    const measured: Record<string, Measured[]> = {};
    for (let round = 0; round < rounds; round++) {
      for (const [name, store] of Object.entries(contenders))
        (measured[name] ??= []).push(await paced(store));
    }
    print(measured);
    const most = { before: await atFull(before), after: await atFull(after) };
    console.log(
      `\nat most, ${writers} at once: ${most.before.toFixed(0)} commits/s on the event loop, ` +
        `${most.after.toFixed(0)} in threads (${(most.after / most.before).toFixed(1)} times)`,
    );
  } finally {
    await before.close();
    await after.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** As many commits as are due by the clock, most of them single writes, every tenth a transaction. */
async function paced(store: FullStore | null): Promise<Measured> {
  const tookMs: number[] = [];
  const running = new Set<Promise<void>>();
  let issued = 0;
  const delay = await loopDelayDuring(async () => {
    const beganMs = performance.now();
    for (let nowMs = beganMs; nowMs < beganMs + roundMs; nowMs = performance.now()) {
      const due = Math.floor(((nowMs - beganMs) * commitsPerMinute) / 60_000);
      for (; store !== null && issued < due; issued++) {
        const askedMs = performance.now();
        const write = commit(store, issued).then(() => {
          tookMs.push(performance.now() - askedMs);
          running.delete(write);
        });
        running.add(write);
      }
      await sleep(1);
    }
  });
  const perMinute = (tookMs.length * 60_000) / roundMs;
  await Promise.all(running);
  return { ...delay, perMinute, commitP50Ms: median(tookMs), commitP99Ms: percentile(tookMs, 0.99) };
}

async function commit(store: FullStore, number: number): Promise<void> {
  if (number % 10 === 0) await store.changes.append("key_changed", `key_${number}`);
  else await store.setSetting(`bench ${number % 1_000}`, String(number));
}

async function atFull(store: FullStore): Promise<number> {
  let left = writesAtFull;
  const beganMs = performance.now();
  const write = async () => {
    while (left-- > 0) await store.setSetting(`bench ${left % 1_000}`, String(left));
  };
  await Promise.all(Array.from({ length: writers }, write));
  return writesAtFull / ((performance.now() - beganMs) / 1_000);
}

function print(measured: Record<string, Measured[]>): void {
  const over = (all: readonly Measured[], figure: (one: Measured) => number) => median(all.map(figure));
  const idleP99Ms = over(measured.idle ?? [], ({ p99Ms }) => p99Ms);
  console.log(
    "medians of the rounds    loop p50   loop p99   of idle   loop max   commits/min   commit p50 / p99",
  );
  for (const [name, all] of Object.entries(measured)) {
    const p99Ms = over(all, (one) => one.p99Ms);
    const ms = (figure: (one: Measured) => number) => `${over(all, figure).toFixed(2)} ms`;
    const commits =
      name === "idle" ? "" : `${ms((one) => one.commitP50Ms)} / ${ms((one) => one.commitP99Ms)}`;
    console.log(
      [
        name.padEnd(22),
        ms((one) => one.p50Ms).padStart(10),
        ms((one) => one.p99Ms).padStart(10),
        (p99Ms / idleP99Ms).toFixed(1).padStart(9),
        ms((one) => one.maxMs).padStart(10),
        over(all, (one) => one.perMinute)
          .toFixed(0)
          .padStart(13),
        commits.padStart(20),
      ].join(" "),
    );
  }
}
