/**
 * A counter with labels, written for Prometheus when it is scraped. For what is counted with every request: prom-client
 * builds a string from the labels at each call, which costs many times what the addition does. Here a series is found
 * label by label.
 *
 * Label values come from closed sets of ours and need no escaping.
 */
type LabelValue = string | number;

interface Series {
  labels: string;
  count: number;
}

/** The series whose first labels have the same values. */
interface Branch {
  next: Map<LabelValue, Branch>;
  /** Where all labels are given. */
  series: Series | null;
}

export class Counter {
  readonly #root: Branch = { next: new Map(), series: null };
  /** In the order in which they were first counted. */
  readonly #series: Series[] = [];

  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly labels: readonly string[],
  ) {}

  /** One value for each label. */
  add(values: readonly LabelValue[], count = 1): void {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.next.get(value);
      if (next === undefined) {
        next = { next: new Map(), series: null };
        branch.next.set(value, next);
      }
      branch = next;
    }
    branch.series ??= this.#begin(values);
    branch.series.count += count;
  }

  text(): string {
    const lines = [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} counter`];
    for (const { labels, count } of this.#series) lines.push(`${this.name}{${labels}} ${count}`);
    return lines.join("\n");
  }

  #begin(values: readonly LabelValue[]): Series {
    const labels = this.labels.map((label, i) => `${label}="${values[i] ?? ""}"`).join(",");
    const series = { labels, count: 0 };
    this.#series.push(series);
    return series;
  }
}
