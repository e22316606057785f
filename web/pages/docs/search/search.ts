/**
 * Finds parts of the documentation. Every word of the query must occur, in the heading, in the page's title or in the
 * text; where it occurs decides the order. The index has only a few hundred parts, so a linear scan is enough.
 */
export interface DocsPart {
  /** The title of its page, and of the section for what is smaller than one. */
  page: string;
  /** Its heading; the page's title for what comes before the first one. */
  heading: string;
  /** Where it is: `/docs/errors#status-429`. */
  address: string;
  text: string;
}

export interface Hit extends DocsPart {
  excerpt: string;
}

const mostHits = 12;
const excerptLength = 140;

export function search(parts: readonly DocsPart[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return parts
    .map((part) => ({ part, score: scoreOf(part, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, mostHits)
    .map(({ part }) => ({ ...part, excerpt: excerptOf(part.text, words) }));
}

/** What the text of an operation of the API begins with. */
export const operation = /^(?:get|post|put|delete) (\/\S+)/;

/** 0 unless every word occurs. */
function scoreOf({ page, heading, text }: DocsPart, words: readonly string[]): number {
  const [, path = ""] = operation.exec(text) ?? [];
  let sum = 0;
  for (const word of words) {
    const name = Math.max(strength(heading, word), strength(path, word));
    const score = 8 * name + 3 * strength(page, word) + strength(text, word);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

/** 3 for the whole text, 2 at the start of a word, 1 inside of one. */
function strength(text: string, word: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at < 0) return 0;
  if (lower === word) return 3;
  return wordStarts(lower, word, at) ? 2 : 1;
}

function wordStarts(text: string, word: string, first: number): boolean {
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

/** The text around the first of the words, cut between words. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at < excerptLength / 2 ? 0 : text.lastIndexOf(" ", at - excerptLength / 3) + 1;
  const cut = text.slice(from, from + excerptLength);
  const end = from + cut.length >= text.length ? cut : `${cut.slice(0, cut.lastIndexOf(" "))} …`;
  return from === 0 ? end : `… ${end}`;
}
