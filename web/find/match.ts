/** Fuzzy ranking: which of many items is meant by a few letters. */

export interface Findable {
  title: string;
  /** Other names for it, and where it belongs. */
  context: string;
}

/** The best first, at most `most`; all of them in their order if the query is empty. */
export function bestMatches<Entry extends Findable>(
  entries: readonly Entry[],
  query: string,
  most: number,
): Entry[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return entries.slice(0, most);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** 0 when a word is missing. A title that begins with the words comes before one that only contains them. */
function scoreOf({ title, context }: Findable, words: readonly string[]): number {
  const [inTitle, around] = [plain(title), plain(context)];
  const scores = words.map((word) => Math.max(placeOf(inTitle, word), placeOf(around, word) / 4));
  if (scores.some((score) => score === 0)) return 0;
  // Of two alike, the shorter one is closer to what was typed.
  return 1 + scores.reduce((sum, score) => sum + score, 0) - Math.min(title.length, 99) / 1_000;
}

function placeOf(text: string, word: string): number {
  if (text.startsWith(word)) return 4;
  if (text.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) return 3;
  return text.includes(word) ? 1 : 0;
}

/** Without case and accents. */
const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
