/**
 * A counter for what is counted with every request. prom-client builds a string from the labels at each call and looks
 * for names that it does not know: that, and the same in its histogram, was 3 % of a request's processor time.
 */
export class Counter {
  /** By labels as they are written. */
  readonly #values = new Map<string, number>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  /** `labels` as in `model="omega",kind="prompt"`, with values that need no escaping. */
  add(labels: string, amount = 1): void {
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + amount);
  }

  text(): string {
    const lines = [...this.#values].map(([labels, value]) => `${this.name}{${labels}} ${value}\n`);
    return `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} counter\n${lines.join("")}`;
  }
}
