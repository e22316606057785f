/** The lines that a change takes out and puts in, for people. No line that stays is shown: it may hold a secret. */
export function lineDiff(before: string, after: string): string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return hunks(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head + 1);
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/));

/** More than this is shown as replaced altogether. */
const maxCells = 4_000_000;

/** By the longest common subsequence. Each run of changes is headed by the line that it begins at. */
function hunks(old: readonly string[], now: readonly string[], firstLine: number): string[] {
  const common = old.length * now.length > maxCells ? null : commonLengths(old, now);
  const shown: string[] = [];
  let isInRun = false;
  let [left, right] = [0, 0];
  while (left < old.length || right < now.length) {
    if (common !== null && left < old.length && right < now.length && old[left] === now[right]) {
      left++;
      right++;
      isInRun = false;
      continue;
    }
    if (!isInRun) shown.push(`@@ line ${firstLine + right} @@`);
    isInRun = true;
    const isRemoval =
      right >= now.length ||
      (left < old.length &&
        (common === null || (common[left + 1]?.[right] ?? 0) >= (common[left]?.[right + 1] ?? 0)));
    shown.push(isRemoval ? `- ${old[left++] ?? ""}` : `+ ${now[right++] ?? ""}`);
  }
  return shown;
}

/** At [i][j]: how many lines the ends of both from there on have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [table[i], table[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
