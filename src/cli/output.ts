/** What the commands print: tables and sentences for people, or one line of JSON for programs. */
import type { Command } from "commander";
import { paint, typed } from "./terminal.js";

/** Prints `value` with `--json`, `text` without. */
export function report(command: Command, value: unknown, text: string): void {
  console.log(command.opts<{ json?: boolean }>().json === true ? JSON.stringify(value) : typed(text));
}

/** Columns as wide as their widest cell, headings in capitals. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => width(cells[column] ?? ""))));
  return lines
    .map((cells, row) => {
      const line = cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join("  ");
      return row === 0 ? paint("bold", line.trimEnd()) : line.trimEnd();
    })
    .join("\n");
}

/** A row for each item, empty without any; columns are given by their heading and what they show of an item. */
export function tableOf<Item>(
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string | number>>,
): string {
  if (items.length === 0) return "";
  const rows = items.map((item) => Object.values(columns).map((cell) => String(cell(item))));
  return table(Object.keys(columns), rows);
}

/** To the minute and in UTC: `2026-01-31 09:05`. Headings say so. */
export const time = (date: Date | null, absent = "never"): string =>
  date === null ? absent : date.toISOString().slice(0, 16).replace("T", " ");

const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)));

const characters = new Intl.Segmenter();
/** Emoji and East Asian characters take two columns of a terminal. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

const width = (text: string): number =>
  [...characters.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
