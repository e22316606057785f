/**
 * What is inside a paragraph: emphasis, code, links, line breaks. One pass over the text. Brackets are paired
 * beforehand, and delimiters that found no partner are not looked at again, so that no text takes longer than its
 * length.
 */
import { escapeMarkup } from "./markup.js";

/** Longer addresses stay text. */
const longestAddress = 2_000;

export function inlineHtml(text: string, baseUrl: string): string {
  return new InlineText(text, baseUrl, true).html();
}

interface Delimiter {
  sign: string;
  /** Signs that have no partner yet. */
  left: number;
  canClose: boolean;
  /** Its place in the output. */
  at: number;
}

class InlineText {
  readonly #out: string[] = [];
  readonly #open: Delimiter[] = [];
  /** Below this height of the stack there is no opener for the sign. */
  readonly #bottom = new Map<string, number>();
  readonly #partners: ReadonlyMap<number, number>;
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly baseUrl: string,
    private readonly hasLinks: boolean,
  ) {
    this.#partners = bracketPairs(text);
  }

  html(): string {
    let plainFrom = 0;
    const flush = (to: number) => {
      if (to > plainFrom) this.#out.push(escapeMarkup(this.text.slice(plainFrom, to)));
    };
    while (this.#at < this.text.length) {
      const from = this.#at;
      if (!special.has(this.text.charAt(from))) {
        this.#at += 1;
        continue;
      }
      flush(from);
      if (!this.#take()) {
        this.#out.push(escapeMarkup(this.text.charAt(from)));
        this.#at = from + 1;
      }
      plainFrom = this.#at;
    }
    flush(this.text.length);
    return this.#out.join("");
  }

  /** Reads what begins here and moves on; false where the character only stands for itself. */
  #take(): boolean {
    switch (this.text.charAt(this.#at)) {
      case "\\":
        return this.#takeEscape();
      case "\n":
        return this.#takeBreak();
      case "`":
        return this.#takeCode();
      case "<":
        return this.#takeAutolink();
      case "!":
        return this.text.charAt(this.#at + 1) === "[" && this.#takeLink(this.#at + 1, true);
      case "[":
        return this.#takeLink(this.#at, false);
      default:
        return this.#takeDelimiter();
    }
  }

  #takeEscape(): boolean {
    const next = this.text.charAt(this.#at + 1);
    if (next === "\n") this.#out.push("<br/>\n");
    else if (punctuation.test(next)) this.#out.push(escapeMarkup(next));
    else return false;
    this.#at += 2;
    return true;
  }

  /** Two spaces before it make it a break; other spaces around it mean nothing. */
  #takeBreak(): boolean {
    const before = this.#out.at(-1) ?? "";
    const kept = before.trimEnd();
    if (kept !== before) this.#out[this.#out.length - 1] = kept;
    this.#out.push(before.length - kept.length >= 2 ? "<br/>\n" : "\n");
    this.#at += 1;
    return true;
  }

  readonly #unclosedCode = new Set<number>();

  #takeCode(): boolean {
    const length = runAt(this.text, this.#at);
    const from = this.#at + length;
    const end = this.#unclosedCode.has(length) ? -1 : codeEnd(this.text, from, length);
    if (end < 0) {
      this.#unclosedCode.add(length);
      this.#out.push("`".repeat(length));
      this.#at = from;
      return true;
    }
    const code = this.text.slice(from, end).replaceAll("\n", " ");
    const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
    this.#out.push(`<code>${escapeMarkup(isPadded ? code.slice(1, -1) : code)}</code>`);
    this.#at = end + length;
    return true;
  }

  #takeAutolink(): boolean {
    const inside = this.text.slice(this.#at + 1, this.#at + 2 + longestAddress);
    const found = /^(?:https?:\/\/[^\s<>]*|mailto:[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)*)(?=>)/i.exec(
      inside,
    )?.[0];
    if (found === undefined || !this.hasLinks) return false;
    const isBare = found.includes("@") && !/^(?:https?|mailto):/i.test(found);
    const address = safeAddress(isBare ? `mailto:${found}` : found, this.baseUrl);
    if (address === null) return false;
    this.#out.push(`<a href="${escapeMarkup(address)}">${escapeMarkup(found)}</a>`);
    this.#at += found.length + 2;
    return true;
  }

  #takeLink(bracket: number, isImage: boolean): boolean {
    const end = this.#partners.get(bracket);
    if (end === undefined || this.text.charAt(end + 1) !== "(") return false;
    const target = targetAt(this.text, end + 2);
    if (target === null || !(isImage || this.hasLinks)) return false;
    const label = this.text.slice(bracket + 1, end);
    this.#at = target.next;
    if (isImage) {
      this.#out.push(`[image: ${label === "" ? "no description" : escapeMarkup(label)}]`);
      return true;
    }
    const html = new InlineText(label, this.baseUrl, false).html();
    const address = safeAddress(target.address, this.baseUrl);
    this.#out.push(address === null ? html : `<a href="${escapeMarkup(address)}">${html}</a>`);
    return true;
  }

  /** Asterisks and underscores, by CommonMark's rules on what stands beside them. */
  #takeDelimiter(): boolean {
    const sign = this.text.charAt(this.#at);
    const length = runAt(this.text, this.#at);
    const before = this.text.charAt(this.#at - 1);
    const after = this.text.charAt(this.#at + length);
    const opens = !isSpace(after) && (!isSign(after) || isSpace(before) || isSign(before));
    const closes = !isSpace(before) && (!isSign(before) || isSpace(after) || isSign(after));
    const inWord = sign === "_" && opens && closes;
    const canOpen = opens && (!inWord || isSign(before));
    const canClose = closes && (!inWord || isSign(after));
    this.#at += length;
    const left = canClose ? this.#close(sign, length, canOpen) : length;
    if (left > 0 && canOpen) {
      this.#open.push({ sign, left, canClose, at: this.#out.push(sign.repeat(left)) - 1 });
    } else if (left > 0) {
      this.#out.push(sign.repeat(left));
    }
    return true;
  }

  /** Pairs as many signs as it can, and returns how many are left. */
  #close(sign: string, length: number, canOpen: boolean): number {
    let left = length;
    while (left > 0) {
      const height = this.#openerHeight(sign, left, canOpen);
      const opener = this.#open[height];
      if (opener === undefined) {
        if (!canOpen) this.#bottom.set(sign, this.#open.length);
        return left;
      }
      const used = left >= 2 && opener.left >= 2 ? 2 : 1;
      const tag = used === 2 ? "strong" : "em";
      // The rest of the opener stays before the tag, where it may still find a partner.
      opener.left -= used;
      left -= used;
      this.#out[opener.at] =
        `${sign.repeat(opener.left)}<${tag}>${(this.#out[opener.at] ?? "").slice(opener.left + used)}`;
      this.#out.push(`</${tag}>`);
      this.#dropOpenersFrom(opener.left > 0 ? height + 1 : height);
    }
    return left;
  }

  #dropOpenersFrom(height: number): void {
    this.#open.length = height;
    for (const [sign, bottom] of this.#bottom) this.#bottom.set(sign, Math.min(bottom, height));
  }

  #openerHeight(sign: string, left: number, canOpen: boolean): number {
    const bottom = this.#bottom.get(sign) ?? 0;
    for (let height = this.#open.length - 1; height >= bottom; height--) {
      const opener = this.#open[height];
      if (opener?.sign !== sign) continue;
      // CommonMark's rule of three: `*a**b*` is no strong inside.
      const isBoth = canOpen || opener.canClose;
      if (isBoth && (opener.left + left) % 3 === 0 && (opener.left % 3 !== 0 || left % 3 !== 0)) continue;
      return height;
    }
    return -1;
  }
}

const special = new Set(["\\", "\n", "`", "<", "!", "[", "*", "_"]);
const punctuation = /^[!-/:-@[-`{-~]$/;
const isSpace = (character: string): boolean => character === "" || /^\s$/.test(character);
const isSign = (character: string): boolean => character !== "" && /^[\p{P}\p{S}]$/u.test(character);

/** How often the character stands there in a row. */
function runAt(text: string, from: number): number {
  let to = from + 1;
  while (text.charAt(to) === text.charAt(from)) to += 1;
  return to - from;
}

/** Where a run of exactly so many backticks begins; -1 where none follows. */
function codeEnd(text: string, from: number, length: number): number {
  for (let at = text.indexOf("`", from); at >= 0;) {
    const run = runAt(text, at);
    if (run === length) return at;
    at = text.indexOf("`", at + run);
  }
  return -1;
}

/** Which bracket closes which, without those that are escaped. */
function bracketPairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "[") open.push(at);
    else if (character === "]") {
      const partner = open.pop();
      if (partner !== undefined) pairs.set(partner, at);
    }
  }
  return pairs;
}

/** `address "title")` or `<address>)`; the title is not shown. */
function targetAt(text: string, from: number): { address: string; next: number } | null {
  const rest = text.slice(from, from + longestAddress).trimStart();
  const found =
    /^(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/.exec(
      rest,
    );
  if (found === null) return null;
  const address = (found[1] ?? found[2] ?? "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
  const skipped = text.slice(from, from + longestAddress).length - rest.length;
  return { address, next: from + skipped + found[0].length };
}

const allowedProtocols = ["http:", "https:", "mailto:"];

/** Null for an address that could do anything but open a page or a mail. */
function safeAddress(address: string, baseUrl: string): string | null {
  try {
    const url = new URL(address, `${baseUrl}/changelog`);
    return allowedProtocols.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
