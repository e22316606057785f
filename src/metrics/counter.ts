/**
 * A counter with labels, written for Prometheus when it is scraped. For what is counted with every request: prom-client
 * builds a string from the labels at each call, which costs many times what the addition does.
 *
 * Label values come from closed sets of ours and need no escaping.
 */
import { MultiKeyMap } from "./multi-key-map.js";

type LabelValues = readonly (string | number)[];

export class Counter {
  readonly #series = new MultiKeyMap<LabelValues, { count: number }>();

  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly labels: readonly string[],
  ) {}

  /** One value for each label. */
  add(values: LabelValues, count = 1): void {
    const series = this.#series.get(values);
    if (series === undefined) this.#series.add(values, { count });
    else series.count += count;
  }

  text(): string {
    const lines = [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} counter`];
    for (const [values, { count }] of this.#series.entries()) {
      const labels = this.labels.map((label, i) => `${label}="${values[i] ?? ""}"`);
      lines.push(`${this.name}{${labels.join(",")}} ${count}`);
    }
    return lines.join("\n");
  }
}
