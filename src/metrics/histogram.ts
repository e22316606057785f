/** A histogram with one label, for what is observed with every request or token: counter.ts says why. */
export class Histogram {
  /** By the label's value, which needs no escaping. */
  readonly #series = new Map<string, Series>();

  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly label: string,
    /** Upper bounds, ascending. */
    private readonly bounds: readonly number[],
  ) {}

  /** So many times the same. */
  observe(label: string, value: number, times = 1): void {
    let series = this.#series.get(label);
    if (series === undefined) {
      series = { counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(label, series);
    }
    let bucket = 0;
    while (value > (this.bounds[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + times;
    series.sum += value * times;
  }

  text(): string {
    const { name, help, bounds } = this;
    let text = `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`;
    for (const [value, { counts, sum }] of this.#series) {
      const label = `${this.label}="${value}"`;
      let upTo = 0;
      for (const [bucket, count] of counts.entries()) {
        upTo += count;
        text += `${name}_bucket{le="${bounds[bucket] ?? "+Inf"}",${label}} ${upTo}\n`;
      }
      text += `${name}_sum{${label}} ${sum}\n${name}_count{${label}} ${upTo}\n`;
    }
    return text;
  }
}

interface Series {
  /** By bucket, each without those below; the last has what exceeds all bounds. */
  counts: number[];
  sum: number;
}
