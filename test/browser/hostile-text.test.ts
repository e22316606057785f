import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launchProfile } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import { setStage } from "./support/stage.js";
import { openPage, signedInContext, signUp } from "./support/visit.js";

const stage = setStage();

const attack = [
  '<img src="https://elsewhere.example/a.png" onerror="window.hacked = 1"> ',
  "<script>window.hacked = 1</script> ![pixel](https://elsewhere.example/b.png) ",
  "[click](javascript:window.hacked=1) <iframe src=//elsewhere.example></iframe> the end",
];

describe("the pages", () => {
  it("show HTML in a reply and in names as text: nothing of it runs, loads or leads anywhere", async () => {
    const context = await signedInContext(stage.browser, stage.url, "hostile@example.com");
    const { page, faults } = await openPage(context, stage.url);
    const name = `<img src=x onerror="window.hacked = 1">`;
    await context.request.post(`${stage.url}/api/keys`, {
      headers: { origin: stage.url },
      data: { name, models: null, expiresInDays: null },
    });
    await page.goto(`${stage.url}/app/keys`);
    await page.getByText(name).waitFor();

    stage.dashboard.engine.script = () => ({ fragments: attack });
    await page.goto(`${stage.url}/app/playground`);
    await page.getByRole("textbox", { name: "Message" }).fill("hello");
    await page.keyboard.press("Enter");
    const reply = page.getByRole("article", { name: "Reply from omega" });
    await reply.getByText("the end").waitFor();
    expect(await reply.locator("img, script, iframe, [onerror], [href^='javascript:' i]").count()).toBe(0);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("leave nothing of a playground session in the browser's files: not in tabs, history or caches", async () => {
    const prompt = "unmistakable-prompt-4711";
    const answer = "unmistakable-answer-0815";
    const draft = "unmistakable-draft-1234";
    stage.dashboard.engine.script = () => ({ fragments: [answer] });
    const profile = await mkdtemp(join(tmpdir(), "sotto-profile-"));
    const context = await launchProfile(profile);
    const { page, faults } = await openPage(context, stage.url);
    await signUp(page, stage.url, "profile@example.com");
    await page.goto(`${stage.url}/app/playground`);
    await page.getByLabel("System prompt").fill(prompt);
    await page.getByRole("textbox", { name: "Message" }).fill(prompt);
    await page.keyboard.press("Enter");
    await page.getByText(answer, { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill(draft);
    // Leaving and coming back is when a browser writes down what it would restore.
    await page.goto(`${stage.url}/app/limits`);
    await page.goBack();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    await context.close();

    const filesWith = (text: string) => {
      // In the form of most files, and in that of saved tabs.
      const wide = text.split("").join(".");
      const found = execFileSync("sh", ["-c", `grep -rlaE "$0|$1" "$2" || true`, text, wide, profile]);
      return found.toString().split("\n").filter(Boolean);
    };
    await eventually(() => filesWith("/app/limits").length > 0);
    for (const text of [prompt, answer, draft]) expect(filesWith(text)).toEqual([]);
    expect(faults).toEqual([]);
    await rm(profile, { recursive: true, force: true });
  });

  it("send less than 200 KB of script for the first one, compressed", async () => {
    const { page } = await openPage(await stage.browser.newContext(), stage.url);
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() !== "script") return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(stage.url, { waitUntil: "networkidle" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
    await page.context().close();
  });
});
