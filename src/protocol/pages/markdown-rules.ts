/**
 * How Markdown that others wrote is shown, the same on the pages (`web/components/text/markdown.tsx`) and in the
 * feeds (`src/http/pages/markdown.ts`): GitHub's Markdown without HTML and without footnotes, whose ids would clash
 * where a page shows several texts.
 */

/** micromark's names of what is left off. */
export const footnotes = ["gfmFootnoteDefinition", "gfmFootnoteCall", "gfmPotentialFootnoteCall"];

/**
 * Whether a text has more marks than `most`: then it is shown as it is. The time to parse Markdown grows with the
 * square of what may open and close something, line breaks included, and a table fills every row up to the width of
 * its first one: a few kilobytes could become millions of cells.
 */
export function hasManyMarks(text: string, most: number): boolean {
  const marks = text.match(/[[\]()*_`<>!~|\n]|^[ \t]*(?:[-+]|\d+[.)])[ \t]/gm)?.length ?? 0;
  if (marks > most) return true;
  const lines = text.split("\n");
  const widest = lines.reduce((most, line) => Math.max(most, line.split("|").length), 0);
  return widest > 1 && widest * lines.length > 10 * most;
}

/**
 * The level at which each heading of a text is shown, one after the other: the highest ones as h3, since the page has
 * its own above, and none more than one below the heading it belongs to, whatever levels the text skips.
 */
export function headingLevels(): (level: number) => number {
  const above: number[] = [];
  return (level) => {
    while ((above.at(-1) ?? 0) >= level) above.pop();
    above.push(level);
    return Math.min(2 + above.length, 6);
  };
}
