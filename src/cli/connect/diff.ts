import { structuredPatch } from "diff";

/** The lines that a change removes and adds, for people. No unchanged line is shown: it may hold a secret. */
export function lineDiff(before: string, after: string): string[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0, stripTrailingCr: true });
  return hunks.flatMap(({ newStart, lines }) => [
    `@@ line ${newStart} @@`,
    // Without git's remark on a missing newline at the end.
    ...lines.filter((line) => !line.startsWith("\\")).map((line) => `${line.slice(0, 1)} ${line.slice(1)}`),
  ]);
}
