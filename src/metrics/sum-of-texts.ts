/**
 * The same counters and histograms of several processes, as one: values of the same series are added. Each text is a
 * metric as `counter.ts` and `histogram.ts` write it, and all processes have the same metrics in the same order.
 */
export function sumOfTexts(ofProcesses: readonly (readonly string[])[]): string[] {
  const [first = []] = ofProcesses;
  return first.map((_, index) => sumOf(ofProcesses.map((texts) => texts[index] ?? "")));
}

function sumOf(texts: readonly string[]): string {
  const heading = new Set<string>();
  const values = new Map<string, number>();
  for (const line of texts.join("").split("\n")) {
    if (line.startsWith("#")) heading.add(line);
    else if (line !== "") {
      const end = line.lastIndexOf(" ");
      const series = line.slice(0, end);
      values.set(series, (values.get(series) ?? 0) + Number(line.slice(end + 1)));
    }
  }
  const lines = [...values].map(([series, value]) => `${series} ${value}\n`);
  return `${[...heading].join("\n")}\n${lines.join("")}`;
}
