/**
 * Rows as CSV (RFC 4180). Spreadsheets run a cell that begins like a formula, and names of keys are text that
 * someone chose: such a cell gets an apostrophe in front, which spreadsheets show as plain text.
 */
import type { UsageBucket } from "./usage-views.js";

export type CsvCell = string | number | null;

/** Without headings: the rest of a file that is written in parts. */
export function toCsv(headings: readonly string[] | null, rows: readonly (readonly CsvCell[])[]): string {
  return [...(headings === null ? [] : [headings]), ...rows]
    .map((cells) => `${cells.map(toCell).join(",")}\r\n`)
    .join("");
}

function toCell(value: CsvCell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The columns of counts in every file of usage, in their order. */
const columns = {
  requests: "requests",
  errors: "errors",
  rate_limited: "rateLimited",
  unavailable: "unavailable",
  prompt_tokens: "promptTokens",
  completion_tokens: "completionTokens",
  first_token_ms_p50: "firstTokenMsP50",
  first_token_ms_p95: "firstTokenMsP95",
} as const;

export const countHeadings = Object.keys(columns);

export const countCells = (counts: Omit<UsageBucket, "start">): CsvCell[] =>
  Object.values(columns).map((name) => counts[name]);
