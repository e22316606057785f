import { expect, it } from "vitest";
import { overviewOf, parseMetrics, type Reading } from "./reading.js";

const models = ["omega", "prism"].map((id) => ({
  id,
  state: "up",
  sharedWith: ["omega", "prism"].filter((other) => other !== id),
}));
const reading = (atMs: number, requests: number, tokens: number): Reading => ({
  atMs,
  models: [...models, { id: "lambda", state: "down", sharedWith: [] }],
  metrics: parseMetrics(`# HELP sotto_requests_total Finished requests.
sotto_requests_total{route="/v1/chat/completions",status="200",code="none"} ${requests}
sotto_requests_total{route="/v1/chat/completions",status="429",code="rate_limit_exceeded"} ${requests}
sotto_requests_total{route="/api/status",status="200",code="none"} 900
sotto_time_between_tokens_seconds_count{model="prism"} ${tokens}
sotto_sequences_active{model="omega"} 2
sotto_sequences_active{model="prism"} 2
sotto_sequences_capacity{model="omega"} 4
sotto_queue_waiting{model="omega"} 3
sotto_queue_waiting{model="prism"} 3
sotto_engine_memory_bytes{model="omega"} 1.5e9
sotto_engine_memory_bytes{model="prism"} 1.5e9
process_resident_memory_bytes 2e8
`),
});

it("counts by the second, and what models share once", () => {
  expect(overviewOf(reading(0, 10, 100), reading(2_000, 20, 300))).toMatchObject({
    requestsPerSecond: 10,
    rateLimitedPerSecond: 5,
    errorsPerSecond: 0,
    tokensPerSecond: 100,
    running: 2,
    waiting: 3,
    engineMemoryBytes: 1.5e9,
    serverMemoryBytes: 2e8,
    engines: [
      { models: "omega, prism", running: 2, capacity: 4, waiting: 3, tokensPerSecond: 100 },
      { models: "lambda", state: "down" },
    ],
  });
});

it("begins again at 0 after the server was restarted", () => {
  expect(overviewOf(reading(0, 10, 100), reading(1_000, 0, 0))).toMatchObject({
    requestsPerSecond: 0,
    tokensPerSecond: 0,
  });
});
