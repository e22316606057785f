/**
 * Finds the texts of special tokens in what users write. A trie, read once for each position: a vocabulary
 * can have thousands of special tokens, and content made to look like many of them must cost no more.
 */
interface Node {
  next: Map<string, Node>;
  ends: boolean;
}

export class SpecialTexts {
  readonly #root: Node = { next: new Map(), ends: false };

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      let node = this.#root;
      for (const unit of text.split("")) {
        const next = node.next.get(unit) ?? { next: new Map<string, Node>(), ends: false };
        node.next.set(unit, next);
        node = next;
      }
      node.ends = node !== this.#root;
    }
  }

  /** The content with each special text, the longest at its place, replaced by what `replacement` gives for it. */
  replace(content: string, replacement: (text: string) => string): string {
    let result = "";
    let copied = 0;
    for (let index = 0; index < content.length;) {
      const length = this.#longestAt(content, index);
      if (length > 0) {
        result += content.slice(copied, index) + replacement(content.slice(index, index + length));
        copied = index + length;
      }
      index += Math.max(1, length);
    }
    return result + content.slice(copied);
  }

  #longestAt(content: string, start: number): number {
    let node: Node | undefined = this.#root;
    let longest = 0;
    for (let index = start; index < content.length; index++) {
      node = node.next.get(content.charAt(index));
      if (node === undefined) break;
      if (node.ends) longest = index + 1 - start;
    }
    return longest;
  }
}
