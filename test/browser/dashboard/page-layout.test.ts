/** Page layout: single-line elements, sticky elements, and no layout shifts. */
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { layoutErrors } from "../support/layout-faults.js";
import { setStage } from "../support/stage.js";
import { openPage, returningContext } from "../support/visit.js";

const operatorEmail = "operator@example.com";
const hourMs = 60 * 60_000;
const laptop = { width: 1024, height: 768 };
const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp(operatorEmail);
  await operator.post("/api/admin/changelog", { title: "Faster replies", body: "By **a lot**." });
  const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
  const window = { title: "New disks", body: "", startsAt: at(30), endsAt: at(31) };
  await operator.post("/api/admin/maintenance", window);
  const ada = await dashboard.signUp("ada@example.com");
  for (let n = 1; n <= 12; n++) {
    await ada.post("/api/keys", { name: `Worker ${n}`, models: null, expiresInDays: null });
  }
  await dashboard.signUp("newcomer@example.com");
});

async function visit(
  path: string,
  { email = operatorEmail, ...size }: { email?: string; width: number; height: number },
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const options: BrowserContextOptions = { locale: "en-US", viewport: size };
  const context = await returningContext(stage.browser, stage.url, email, options);
  const { page, faults } = await openPage(context, stage.url);
  try {
    await page.goto(stage.url + path);
    await settled(page);
    await look(page);
    expect(faults).toEqual([]);
    expect(await layoutErrors(page)).toEqual([]);
  } finally {
    await context.close();
  }
}

async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".animate-breathe") === null);
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error("it is not shown");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

const boxesOf = async (elements: Locator) => Promise.all((await elements.all()).map(boxOf));

/** How many lines of text each of them takes. */
const linesOf = (elements: Locator): Promise<number[]> =>
  elements.evaluateAll((all) =>
    all.map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    }),
  );

describe("a moment", () => {
  it.each([
    ["/admin/changelog", 1440],
    ["/admin/changelog", 1024],
    ["/admin/maintenance", 1440],
  ])("takes one line in the table of %s at %i px", (path, width) =>
    visit(path, { width, height: 900 }, async (page) => {
      const times = page.getByRole("table").locator("time");
      await times.first().waitFor();
      expect(Math.max(...(await linesOf(times)))).toBe(1);
    }),
  );

  it("is broken between the day and the time only, where it does not fit", () =>
    visit("/admin/changelog", { width: 320, height: 640 }, async (page) => {
      const time = page.getByRole("table").locator("time").first();
      expect(await linesOf(time)).toEqual([2]);
      expect(await linesOf(time.locator("span"))).toEqual([1, 1]);
    }));
});

describe("the navigation", () => {
  it("keeps the account and the theme in view on a small laptop", () =>
    visit("/app", laptop, async (page) => {
      const account = page.getByRole("button", { name: "Account:" });
      expect((await boxOf(account)).bottom).toBeLessThanOrEqual(laptop.height);
      const theme = page
        .getByRole("radiogroup", { name: /theme/i })
        .or(page.getByRole("group", { name: /theme/i }));
      expect((await boxOf(theme.first())).bottom).toBeLessThanOrEqual(laptop.height);
      await page.getByRole("link", { name: "Audit trail" }).click();
      await page.getByRole("heading", { level: 1, name: "Audit trail" }).waitFor();
    }));

  it("keeps them in view on a small phone, with everything else in reach", () =>
    visit("/app", { width: 320, height: 640 }, async (page) => {
      await page.getByRole("button", { name: "Open menu" }).click();
      const drawer = page.getByRole("dialog", { name: "Menu" });
      const account = drawer.getByRole("button", { name: "Account:" });
      expect((await boxOf(account)).bottom).toBeLessThanOrEqual(640);
      await drawer.getByRole("link", { name: "Audit trail" }).click();
      await page.getByRole("heading", { level: 1, name: "Audit trail" }).waitFor();
    }));
});

describe("the filters", () => {
  it("of keys are there once there is a key to find", () =>
    visit("/app/keys", { ...laptop, email: "newcomer@example.com" }, async (page) => {
      await page.getByText("No keys yet").waitFor();
      expect(await page.getByRole("searchbox").count()).toBe(0);
      expect(await page.getByRole("combobox").count()).toBe(0);
      await page.goto(`${stage.url}/app/keys?search=nothing`);
      await page.getByText("No keys yet").waitFor();
      expect(await page.getByRole("searchbox").count()).toBe(0);
    }));

  it("of keys stand in full rows on a small laptop", () =>
    visit("/app/keys", { ...laptop, email: "ada@example.com" }, async (page) => {
      const list = await boxOf(page.getByRole("table"));
      const search = await boxOf(page.getByRole("searchbox"));
      const selects = await boxesOf(page.getByRole("combobox"));
      expect(search.width).toBeGreaterThan(list.width - 4);
      expect(new Set(selects.map(({ y }) => Math.round(y))).size).toBe(1);
      expect(Math.max(...selects.map(({ right }) => right))).toBeGreaterThan(search.right - 2);
    }));

  it("of usage stand in one row on a small laptop", () =>
    visit("/app/usage", { ...laptop, email: "ada@example.com" }, async (page) => {
      const period = await boxOf(page.getByRole("group", { name: "Period" }));
      const selects = await boxesOf(page.getByRole("combobox"));
      expect(selects.every(({ y }) => y < period.bottom)).toBe(true);
    }));

  it("stay where they are when a period of one's own is chosen", () =>
    visit("/app/usage", { ...desk, email: "ada@example.com" }, async (page) => {
      const periods = page.getByRole("group", { name: "Period" }).locator("label");
      const before = await boxesOf(periods);
      await page.getByText("Custom", { exact: true }).click();
      await page.getByLabel("From").waitFor();
      expect(await boxesOf(periods)).toEqual(before);
    }));
});

describe("the main action of a page", () => {
  it.each([
    ["/app/keys", "Create key"],
    ["/admin/plans", "Create plan"],
    ["/admin/webhooks", "Create webhook"],
    ["/admin/usage", "Download CSV"],
  ])("of %s stands beside its title on a small laptop", (path, name) =>
    visit(path, laptop, async (page) => {
      const header = page.getByRole("main").locator("header").first();
      const action = await boxOf(header.getByText(name).first());
      const words = await boxOf(header.locator("p").first());
      expect(action.x).toBeGreaterThan(words.right);
      expect(action.y).toBeLessThan(words.bottom);
    }),
  );
});

describe("selecting accounts", () => {
  it("is offered where there are some", () =>
    visit("/admin/accounts?search=nobody", laptop, async (page) => {
      await page.getByText("No matching accounts").waitFor();
      expect(await page.getByRole("checkbox").count()).toBe(0);
    }));

  it.each([laptop, phone])("does not move the list, at $width px", (size) =>
    visit("/admin/accounts", size, async (page) => {
      const first = page.getByRole("link", { name: "newcomer@example.com" });
      const before = await boxOf(first);
      await page.getByLabel("Select all on this page").check();
      await page.getByText("3 selected").waitFor();
      expect(await boxOf(first)).toEqual(before);
      await page.getByRole("button", { name: "Suspend…" }).click({ trial: true });
    }),
  );
});

describe("the page of an account", () => {
  it("breaks the address behind its parts on a small phone", () =>
    visit("/admin/accounts?search=newcomer", { width: 320, height: 640 }, async (page) => {
      await page.getByRole("link", { name: "newcomer@example.com" }).click();
      await page.getByRole("heading", { level: 1, name: "newcomer@example.com" }).waitFor();
      await settled(page);
    }));

  it("shows the first keys, and all of them when asked", () =>
    visit("/admin/accounts?search=ada", desk, async (page) => {
      await page.getByRole("link", { name: "ada@example.com" }).click();
      const rows = page.getByRole("table", { name: "Keys of the account" }).getByRole("row");
      await rows.nth(10).waitFor();
      expect(await rows.count()).toBe(11);
      await page.getByRole("button", { name: "Show all 12 keys" }).click();
      expect(await rows.count()).toBe(13);
      await settled(page);
    }));
});

describe("cards side by side", () => {
  it("of models fill their rows, with their buttons at one height", async () => {
    for (const size of [laptop, desk]) {
      await visit("/admin/models", size, async (page) => {
        const cards = await boxesOf(page.getByRole("region").filter({ hasText: "Change model" }));
        const list = await boxOf(page.getByRole("main").locator("header").first());
        const last = cards.at(-1);
        expect(cards).toHaveLength(4);
        expect(last?.right).toBeGreaterThan(list.right - 2);
        const buttons = await boxesOf(page.getByRole("button", { name: /^Change model/ }));
        const rows = new Set(cards.map(({ y }) => Math.round(y))).size;
        expect(new Set(buttons.map(({ y }) => Math.round(y))).size).toBe(rows);
      });
    }
  });

  it("of a single engine is as wide as the page", () =>
    visit("/admin/engines", laptop, async (page) => {
      const card = await boxOf(page.getByRole("region", { name: /omega/ }));
      const header = await boxOf(page.getByRole("main").locator("header").first());
      expect(card.width).toBeGreaterThan(header.width - 2);
    }));
});

describe("a dialog", () => {
  it("leaves no gap where it has nothing to show", () =>
    visit("/admin/accounts", desk, async (page) => {
      await page.getByRole("button", { name: "Actions for ada@example.com" }).click();
      await page.getByRole("menuitem", { name: "Password reset" }).click();
      const box = page.getByRole("dialog", { name: "Password reset link" });
      const words = await boxOf(box.getByText("Whoever opens the link"));
      const button = await boxOf(box.getByRole("button", { name: "Create link" }));
      expect(button.y - words.bottom).toBeLessThan(32);
    }));
});
