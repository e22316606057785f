import { expect, it } from "vitest";
import { Counter } from "./counter.js";
import { Histogram } from "./histogram.js";
import { sumOfTexts } from "./sum-of-texts.js";

it("adds the series of processes, also those that only one of them has", () => {
  const texts = [1, 2].map((process) => {
    const requests = new Counter("requests_total", "Requests.");
    const seconds = new Histogram("seconds", "How long.", "route", [1, 5]);
    requests.add('route="a"', process);
    requests.add(`route="of ${process}"`);
    seconds.observe("a", process * 2);
    return [requests.text(), seconds.text()];
  });
  expect(sumOfTexts(texts).join("\n")).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="a"} 3
requests_total{route="of 1"} 1
requests_total{route="of 2"} 1

# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{le="1",route="a"} 0
seconds_bucket{le="5",route="a"} 2
seconds_bucket{le="+Inf",route="a"} 2
seconds_sum{route="a"} 6
seconds_count{route="a"} 2
`);
});
