import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.js";

const none = () => 0;

const metrics = () =>
  new Metrics({
    sequencesActive: none,
    sequencesCapacity: none,
    engineRestarts: none,
    engineMemoryBytes: none,
    queueWaiting: none,
    isStoreUp: () => true,
    isRedisUp: null,
  });

describe("metrics", () => {
  it("share the wait for tokens among those that arrive together", async () => {
    const ours = metrics();
    ours.tokenGap("omega", 400, 4);
    ours.tokenGap("omega", 200, 1);
    const { body } = await ours.text();
    const name = "sotto_time_between_tokens_seconds";
    expect(body).toContain(`${name}_bucket{le="0.05",model="omega"} 0\n`);
    expect(body).toContain(`${name}_bucket{le="0.1",model="omega"} 4\n`);
    expect(body).toContain(`${name}_bucket{le="0.25",model="omega"} 5\n`);
    expect(Number(new RegExp(`^${name}_sum\\{model="omega"\\} (.+)$`, "m").exec(body)?.[1])).toBeCloseTo(0.6);
    expect(body).toContain(`${name}_count{model="omega"} 5\n`);
  });

  it("are all there before anything was counted, ours and those of the process", async () => {
    const { body } = await metrics().text();
    const named = [...body.matchAll(/^# HELP (\w+) .+\n# TYPE \1 \w+$/gm)].map(([, name]) => name);
    for (const name of ["sotto_requests_total", "sotto_queue_wait_seconds", "process_cpu_seconds_total"]) {
      expect(named).toContain(name);
    }
    expect(new Set(named).size).toBe(named.length);
    expect(body.endsWith("\n")).toBe(true);
  });
});
