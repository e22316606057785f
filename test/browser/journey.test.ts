import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { launchBrowser, noBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";
import { chooseAction, openPage, shownSecret, signUp } from "./support/visit.js";

describe.skipIf(noBrowser)("a person", () => {
  it("signs up, takes a key, runs the copied curl, talks in the playground, rotates and revokes", async () => {
    const [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
    try {
      const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
      context.setDefaultTimeout(60_000);
      const { page, faults } = await openPage(context, sotto.url);
      const statusOf = async (key: string) =>
        (await fetch(`${sotto.baseURL}/models`, { headers: { authorization: `Bearer ${key}` } })).status;

      await signUp(page, sotto.url, "ada@example.com");
      await page.getByRole("button", { name: "Create key" }).click();
      const key = await shownSecret(page);

      await page.getByRole("button", { name: "Copy code" }).first().click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(key);
      const answer = execFileSync("sh", ["-c", copied.replace(/^curl/, "curl -s")], { encoding: "utf8" });
      expect(JSON.parse(answer)).toMatchObject({ object: "chat.completion" });

      await page.goto(`${sotto.url}/app/usage`);
      await page.locator('dt:text-is("Requests") + dd').first().getByText("1", { exact: true }).waitFor();

      await page.goto(`${sotto.url}/app/playground`);
      await page.getByRole("textbox", { name: "Message" }).fill("hello");
      await page.keyboard.press("Enter");
      const reply = page.getByRole("article", { name: "Reply from omega" });
      await eventually(async () => ((await reply.textContent()) ?? "").length > 20);

      await page.goto(`${sotto.url}/app/keys`);
      await chooseAction(page, "My first key", "Rotate…");
      await page.getByRole("button", { name: "Rotate key" }).click();
      const rotated = await shownSecret(page);
      expect(rotated).not.toBe(key);
      await page.getByRole("button", { name: "Done" }).click();
      expect([await statusOf(key), await statusOf(rotated)]).toEqual([200, 200]);

      await page.getByRole("button", { name: "Actions for My first key" }).first().click();
      await page.getByRole("menuitem", { name: "Revoke…" }).click();
      await page.getByRole("button", { name: "Revoke key" }).click();
      await eventually(async () => (await statusOf(rotated)) === 401);

      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      await sotto.stop();
    }
  });
});
