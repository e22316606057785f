import * as prometheus from "prom-client";
import { describe, expect, it } from "vitest";
import { Counter } from "./counter.js";
import { Histogram } from "./histogram.js";

/** What Prometheus scrapes is what prom-client would write. */
describe("metrics of our own are written as prom-client writes them", () => {
  const name = "sotto_things";
  const help = "Things, of each kind.";

  it("counters", async () => {
    const registry = new prometheus.Registry();
    const labelNames = ["route", "status"] as const;
    const theirs = new prometheus.Counter({ name, help, labelNames, registers: [registry] });
    const ours = new Counter(name, help, labelNames);
    expect(`${ours.text()}\n`).toBe(await registry.metrics());

    const counts: [route: string, status: number, count?: number][] = [
      ["/v1/models", 200],
      ["/v1/*", 404],
      ["/v1/models", 200],
      ["/v1/models", 503, 0],
      ["/v1/*", 404, 1_000_000_007],
    ];
    for (const [route, status, count] of counts) {
      theirs.inc({ route, status }, count);
      ours.add([route, status], count);
    }
    expect(`${ours.text()}\n`).toBe(await registry.metrics());
  });

  it("histograms", async () => {
    const registry = new prometheus.Registry();
    const buckets = [0.005, 0.1, 1, 60];
    const theirs = new prometheus.Histogram({
      name,
      help,
      labelNames: ["model"] as const,
      buckets: [...buckets],
      registers: [registry],
    });
    const ours = new Histogram({ name, help, label: "model", buckets });
    expect(`${ours.text()}\n`).toBe(await registry.metrics());

    const values = [0, 0.004, 0.005, 0.0051, 0.1, 0.7, 1, 1.5, 60, 60.1, 1e9];
    for (const [i, value] of values.entries()) {
      const model = i % 3 === 0 ? "prism" : "omega";
      theirs.observe({ model }, value);
      ours.observe(model, value);
    }
    expect(`${ours.text()}\n`).toBe(await registry.metrics());
  });

  it("observations made at once, like single ones", async () => {
    const registry = new prometheus.Registry();
    const options = { name, help, buckets: [0.25, 1] };
    const theirs = new prometheus.Histogram({ ...options, labelNames: ["model"], registers: [registry] });
    const ours = new Histogram({ ...options, label: "model" });
    for (let i = 0; i < 3; i++) theirs.observe({ model: "omega" }, 0.5);
    ours.observe("omega", 0.5, 3);
    expect(`${ours.text()}\n`).toBe(await registry.metrics());
  });
});
