/**
 * Tells, as JSON text grows, whether its value is over: the text of a call's arguments says itself where it ends, and
 * engines that number all calls alike say it in no other way. It does not judge whether the text is right.
 */
export class JsonExtent {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isOver = false;

  /** An object, a list or a string came to its end. Other values end only where the text does. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(text: string): void {
    for (const character of text) {
      if (this.#inString) this.#inText(character);
      else this.#betweenTexts(character);
    }
  }

  #inText(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === "\\") this.#escaped = true;
    else if (character === '"') {
      this.#inString = false;
      this.#isOver = this.#depth === 0;
    }
  }

  #betweenTexts(character: string): void {
    switch (character) {
      case '"':
        this.#inString = true;
        return;
      case "{":
      case "[":
        this.#depth += 1;
        return;
      case "}":
      case "]":
        this.#depth -= 1;
        this.#isOver = this.#depth === 0;
    }
  }
}
