/** Usage of all the days that are kept: growing, with an incident, refusals and errors of the usual kinds. */
import type { ErrorCode } from "../../src/core/errors.js";
import type { ModelId } from "../../src/core/models.js";
import type { TestDashboard } from "../../test/support/processes/dashboard-server.js";
import { busynessAt, type PastClock } from "./past.js";

export interface UsedKey {
  accountId: string;
  keyId: string;
}

const hourMs = 60 * 60_000;
const minuteMs = 60_000;
const days = 399;
/** Requests in the busiest hour, at first and in the last week. */
const busiest = { first: 3, last: 240 };
/** What the present hour passes for, so that pictures taken at night show a working day as well. */
const presentHour = 11;
const models: readonly ModelId[] = ["omega", "omega", "omega", "prism", "lambda"];
/** Hours ago, of an engine that was down for three hours. */
const incident = { from: 20 * 24, to: 20 * 24 - 3, model: "lambda" };

export async function recordYear(
  dashboard: TestDashboard,
  clock: PastClock,
  draw: () => number,
  keys: readonly UsedKey[],
): Promise<void> {
  const one = (hoursAgo: number) => {
    const { accountId, keyId } = keys[Math.floor(draw() ** 3 * keys.length)] ?? { accountId: "", keyId: "" };
    const model = models[Math.floor(draw() * models.length)] ?? "omega";
    const down = model === incident.model && hoursAgo <= incident.from && hoursAgo > incident.to;
    const code = down ? "engine_unavailable" : codeOf(draw());
    const outcome = outcomeOf(code);
    const ran = outcome === "ok";
    dashboard.app.dashboard.outcomes.record({ model, code, outcome });
    dashboard.app.dashboard.usage.record({
      ...{ accountId, keyId: draw() < 0.05 ? "playground" : keyId, model, outcome },
      promptTokens: ran ? Math.round(120 + 1_700 * draw() ** 2) : 0,
      completionTokens: ran ? Math.round(40 + 560 * draw()) : 0,
      ...(ran && { firstTokenMs: Math.round(90 + 90 * draw() + (draw() < 0.08 ? 900 * draw() : 0)) }),
    });
  };
  const shiftMs = (presentHour - clock.now().getUTCHours()) * hourMs;
  const busyness = () => busynessAt(new Date(clock.now().getTime() + shiftMs));
  for (let hour = days * 24; hour >= 1; hour--) {
    clock.agoMs = hour * hourMs;
    const growth = 1 - hour / (days * 24);
    const most = busiest.first + (busiest.last - busiest.first) * growth ** 3;
    const requests = Math.round(busyness() * most * (0.8 + 0.4 * draw()));
    for (let request = 0; request < requests; request++) one(hour);
    if (hour % 240 === 0) await flush(dashboard);
  }
  for (let minute = 59; minute >= 0; minute--) {
    clock.agoMs = minute * minuteMs;
    const requests = Math.round(busyness() * (busiest.last / 60) * (0.4 + 1.2 * draw()));
    for (let request = 0; request < requests; request++) one(0);
  }
  clock.agoMs = 0;
  await flush(dashboard);
}

async function flush(dashboard: TestDashboard): Promise<void> {
  await dashboard.app.dashboard.usage.flush();
  await dashboard.app.dashboard.outcomes.flush();
}

function codeOf(drawn: number): ErrorCode | "none" {
  if (drawn < 0.0003) return "internal_error";
  if (drawn < 0.0006) return "engine_unavailable";
  if (drawn < 0.02) return "rate_limit_exceeded";
  return drawn < 0.024 ? "context_length_exceeded" : "none";
}

function outcomeOf(code: ErrorCode | "none") {
  if (code === "none") return "ok";
  if (code === "rate_limit_exceeded") return "rate_limited";
  return code === "engine_unavailable" ? "unavailable" : "error";
}
