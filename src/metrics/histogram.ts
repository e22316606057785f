/**
 * A histogram with one label, written for Prometheus when it is scraped. `counter.ts` says why it is not prom-client's.
 */
export interface HistogramOptions {
  name: string;
  help: string;
  label: string;
  /** Upper bounds, ascending. What exceeds the last is counted too. */
  buckets: readonly number[];
}

interface Series {
  /** By bucket, each without those below; the last has what exceeds all bounds. */
  counts: number[];
  sum: number;
}

export class Histogram {
  readonly #series = new Map<string, Series>();

  constructor(private readonly options: HistogramOptions) {}

  /** Several observations of the same value can be made at once. */
  observe(label: string, value: number, times = 1): void {
    const { buckets } = this.options;
    let series = this.#series.get(label);
    if (series === undefined) {
      series = { counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 };
      this.#series.set(label, series);
    }
    let bucket = 0;
    for (const bound of buckets) {
      if (value <= bound) break;
      bucket += 1;
    }
    series.counts[bucket] = (series.counts[bucket] ?? 0) + times;
    series.sum += value * times;
  }

  text(): string {
    const { name, help, label, buckets } = this.options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [value, { counts, sum }] of this.#series) {
      const labels = `${label}="${value}"`;
      let upTo = 0;
      for (const [bucket, count] of counts.entries()) {
        upTo += count;
        lines.push(`${name}_bucket{le="${buckets[bucket] ?? "+Inf"}",${labels}} ${upTo}`);
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${upTo}`);
    }
    return lines.join("\n");
  }
}
