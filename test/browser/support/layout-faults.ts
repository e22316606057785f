import type { Page } from "playwright-core";

/**
 * What a reader cannot read at the page's present width: a document wider than the window, a word broken in a table's
 * cell, text that reaches out of its box or is cut off by one around it. What scrolls by itself is left out, and so is
 * what says by an ellipsis that there is more.
 */
export function layoutErrors(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const slack = 1.5;
    const faults = new Set<string>();
    const nameOf = (element: Element) => {
      const text = element.textContent.trim().replaceAll(/\s+/g, " ").slice(0, 50);
      return `${element.tagName.toLowerCase()}.${element.className.split(" ")[0] ?? ""} "${text}"`;
    };
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      faults.add(`the document is ${root.scrollWidth - root.clientWidth} px wider than the window`);
    }

    const isScroller = ({ overflowX }: CSSStyleDeclaration) => overflowX === "auto" || overflowX === "scroll";
    /** Asked once for each element: a long page has thousands of texts in the same boxes. */
    const remember = <T>(ask: (element: Element) => T): ((element: Element) => T) => {
      const answers = new Map<Element, { answer: T }>();
      return (element) => {
        const known = answers.get(element) ?? { answer: ask(element) };
        answers.set(element, known);
        return known.answer;
      };
    };
    /** Up to the first that scrolls; null when there is one, or when the text is not for the eye. */
    const boxesFrom = remember((box): Element[] | null => {
      const style = getComputedStyle(box);
      if (isScroller(style) || style.textOverflow === "ellipsis") return null;
      if (style.visibility === "hidden" || style.clipPath !== "none" || box.tagName === "TEXTAREA")
        return null;
      if (box.clientWidth <= 1 && style.position === "absolute") return null;
      const outer = boxesAround(box);
      if (outer === null || style.display === "inline" || style.display === "contents") return outer;
      return [box, ...outer];
    });
    const boxesAround = ({ parentElement: box }: Node): Element[] | null =>
      box === null || box === document.body ? [] : boxesFrom(box);
    const rectOf = remember((box) => box.getBoundingClientRect());
    const clips = remember((box) => getComputedStyle(box).overflowX !== "visible");

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node as Text;
      if (text.data.trim() === "") continue;
      range.selectNodeContents(text);
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
      if (rects.length === 0) continue;
      const boxes = boxesAround(text);
      const [own] = boxes ?? [];
      if (boxes === null || own === undefined) continue;
      const left = Math.min(...rects.map((rect) => rect.left));
      const right = Math.max(...rects.map((rect) => rect.right));
      const reachesOut = (box: Element) => {
        const { left: from, right: to } = rectOf(box);
        return left < from - slack || right > to + slack;
      };
      if (reachesOut(own)) faults.add(`reaches out of its box: ${nameOf(own)}`);
      if (boxes.some((box) => clips(box) && reachesOut(box))) faults.add(`is cut off: ${nameOf(own)}`);
      if (right > root.clientWidth + slack || left < -slack)
        faults.add(`is beside the window: ${nameOf(own)}`);

      if (own.closest("td, th, dt, dd, h1, h2, h3, button") === null) continue;
      for (const { index, 0: word } of text.data.matchAll(/[^\s@./,–-]+/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) faults.add(`breaks "${word}" in ${nameOf(own)}`);
      }
    }
    return [...faults];
  });
}
