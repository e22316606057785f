import { expect, it } from "vitest";
import type { LiveMinute } from "../../core/admin/service-views.js";
import type { EngineView } from "../../protocol/dashboard/engines.js";
import { sumOfViews } from "./live-view.js";
import type { LiveView } from "./parts.js";

const minute = (start: string, requests: number): LiveMinute => ({
  ...{ start, requests, errors: 1, refused: 0, tokensPerSecond: 1.5, waiting: 2, running: 3 },
  ...{ memoryBytes: 100, diskBytes: null },
});

const engine = (active: number, queueWaitMsP50: number | null): EngineView => ({
  ...{
    models: ["omega"],
    serving: "gpu-1",
    state: "ready",
    active,
    capacity: 8,
    waiting: 1,
    contextTokens: 100,
  },
  ...{ restarts: 0, tokensPerSecond: 10.1, memoryBytes: null, queueWaitMsP50, compute: null, problem: null },
  members: [
    { id: "http://gpu-1", serving: "gpu-1", state: "ready", note: "", weight: 1, active, problem: null },
  ],
});

const view = (active: number, minutes: LiveMinute[], wait: number | null = null): LiveView => ({
  engines: [engine(active, wait)],
  queues: [{ models: ["omega"], running: active, waiting: 1, capacity: 8 }],
  minutes,
  tokensPerSecond: 10.1,
});

it("adds what processes do, and keeps what they have in common", () => {
  const sum = sumOfViews(view(2, [minute("1", 5), minute("2", 6)]), view(3, [minute("2", 1)], 40));
  expect(sum.engines).toMatchObject([
    { active: 5, capacity: 16, waiting: 2, contextTokens: 100, tokensPerSecond: 20.2, queueWaitMsP50: 40 },
  ]);
  expect(sum.engines[0]?.members).toMatchObject([{ active: 5, weight: 1 }]);
  expect(sum.queues).toEqual([{ models: ["omega"], running: 5, waiting: 2, capacity: 16 }]);
  expect(sum.minutes).toMatchObject([
    { start: "1", requests: 5 },
    { start: "2", requests: 7, errors: 2, tokensPerSecond: 3, memoryBytes: 100 },
  ]);
});
