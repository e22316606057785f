/**
 * A person without a pointer. Moves by Tab, reads what the focus is on by its accessible name, and holds each
 * stop to two promises: the focus is on something, and it can be seen.
 */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

interface Stop {
  name: string;
  seen: boolean;
}

const longestWay = 80;

/** Tells elements of one page apart. */
const place = (element: Element): string => String([...document.querySelectorAll("*")].indexOf(element));

export class Keyboard {
  constructor(private readonly page: Page) {}

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  /** Over what is there already. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.type(text);
  }

  /** Tab, or Shift and Tab, until the focus is on something of this name. */
  async to(name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < longestWay; presses++) {
      await this.page.keyboard.press(key);
      const stop = await this.stop();
      if (stop.name !== "") expect(stop).toEqual({ name: stop.name, seen: true });
      if (name.test(stop.name)) return;
      passed.push(stop.name);
    }
    throw new Error(`the keyboard does not reach ${name.source}; it passed ${passed.join(" | ")}`);
  }

  /** Tab to it and press Enter. */
  async choose(name: RegExp): Promise<void> {
    await this.to(name);
    await this.press("Enter");
  }

  async chooseFrom(menu: RegExp, item: string): Promise<void> {
    await this.to(menu);
    await this.takeItem(item);
  }

  /** Opens the menu whose button has the focus, and takes the item by its first letters. */
  async takeItem(item: string): Promise<void> {
    await this.press("Enter");
    const focused = this.page.locator('[role="menuitem"]:focus');
    await focused.waitFor();
    await this.page.keyboard.type(item.slice(0, 6));
    await focused.filter({ hasText: item }).waitFor();
    await this.press("Enter");
  }

  /** The same with the arrows. */
  async arrowTo(item: string): Promise<void> {
    await this.press("Enter");
    const focused = this.page.locator('[role="menuitem"]:focus');
    await focused.waitFor();
    for (let text = await focused.textContent(); text?.includes(item) !== true;) {
      const passed = text;
      await this.press("ArrowDown");
      // The focus moves a moment after the key: pressed sooner, the next one would skip an item.
      await expect.poll(async () => (text = await focused.textContent()), { message: item }).not.toBe(passed);
    }
    await this.press("Enter");
  }

  /** Around once with Tab and back again: the focus is seen at every stop, and stays in what is open. */
  async isTrappedIn(open: Locator): Promise<void> {
    for (const key of ["Tab", "Shift+Tab"] as const) {
      const stops: string[] = [];
      do {
        await this.page.keyboard.press(key);
        const stop = await this.stop();
        expect(stop).toEqual({ name: stop.name, seen: true });
        expect(await open.locator(":focus").count(), `${stop.name} is outside`).toBe(1);
        stops.push(await open.locator(":focus").evaluate(place));
      } while (stops.indexOf(stops.at(-1) ?? "") === stops.length - 1 && stops.length < longestWay);
    }
  }

  /** Waits until the focus is on something of this name: after a dialog opened or closed. */
  async isOn(name: RegExp): Promise<void> {
    await expect.poll(async () => (await this.stop()).name).toMatch(name);
  }

  /** What the focus is on; the empty name stands for the page itself. */
  private stop(): Promise<Stop> {
    return this.page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return { name: "", seen: false };
      const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";
      const labels = "labels" in element ? ((element as HTMLInputElement).labels ?? []) : [];
      const name =
        element.getAttribute("aria-label") ??
        (element.getAttribute("aria-labelledby")?.split(" ").map(textOf).join(" ") ||
          [...labels].map((label) => label.textContent).join(" ") ||
          element.textContent);
      // The ring may be drawn by what stands around the control: a dressed radio button, the composer.
      const around = [element, element.parentElement, element.parentElement?.parentElement];
      const ringed = around.some((one) => one && getComputedStyle(one).outlineStyle !== "none");
      const lit = element.matches('[role="menuitem"]') && element.hasAttribute("data-highlighted");
      return { name: name.trim() === "" ? element.tagName : name.trim(), seen: ringed || lit };
    });
  }
}
