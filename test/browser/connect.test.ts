import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClients } from "../../src/connect/clients.js";
import { launchBrowser } from "../support/browser.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";
import { violations } from "./support/axe.js";
import { openPage, shownSecret, signedInContext } from "./support/visit.js";

let sotto: SottoProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
  context = await signedInContext(browser, sotto.url, "ada@example.com");
  ({ page, faults } = await openPage(context, sotto.url));
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
});

const open = async (address = "/app/connect") => {
  // A fragment alone would not load the page again.
  await page.goto("about:blank");
  await page.goto(sotto.url + address);
  await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();
};
const shown = () => page.getByRole("heading", { level: 2 }).first().textContent();
const code = (title: string) => page.getByRole("group", { name: title }).textContent();

describe("the Connect page", () => {
  it("opens at the client that the address names, and takes the choice into the address", async () => {
    await open("/app/connect#codex");
    expect(await shown()).toBe("Codex CLI");
    expect(await code("~/.codex/config.toml")).toContain(`base_url = "${sotto.url}/v1"`);
    await page.getByRole("link", { name: "Claude Code" }).click();
    await page.getByRole("heading", { level: 2, name: "Claude Code" }).waitFor();
    expect(page.url()).toBe(`${sotto.url}/app/connect#claude-code`);
    expect(await code("~/.claude/settings.json")).toContain("YOUR_SOTTO_API_KEY");
    await page.goBack();
    await page.getByRole("heading", { level: 2, name: "Codex CLI" }).waitFor();
  });

  it("finds clients by name and group", async () => {
    await open();
    await page.getByLabel("Client", { exact: true }).fill("python");
    expect(
      await page.getByRole("navigation", { name: "Clients" }).getByRole("link").allTextContents(),
    ).toEqual(["OpenAI library for Python", "LangChain for Python"]);
    await page.getByLabel("Client", { exact: true }).fill("nothing of the kind");
    await page.getByText("No matching client.").waitFor();
  });

  it("fills in the chosen model with its limits, and a stream where code can read one", async () => {
    await open("/app/connect#openai-compatible");
    await page.getByLabel("Model", { exact: true }).selectOption("prism");
    const limits = await (await fetch(`${sotto.url}/api/models`)).text();
    const context = /"id":"prism".*?"contextTokens":(\d+)/.exec(limits)?.[1] ?? "unknown";
    await page.locator("dd", { hasText: context }).first().waitFor();
    expect(await page.locator("dd").allTextContents()).toEqual(expect.arrayContaining(["prism", context]));
    expect(await page.getByLabel("Streaming").count()).toBe(0);
    await page.getByRole("link", { name: "OpenAI library for Node" }).click();
    await page.getByText("Streaming").click();
    expect(await code("JavaScript")).toContain("stream: true");
    expect(await code("JavaScript")).toContain('model: "prism"');
  });

  it("fills in a key that is created here, which is gone with the page", async () => {
    await open("/app/connect#claude-code");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("Editor");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const secret = await shownSecret(page);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await code("~/.claude/settings.json")).toContain(`"ANTHROPIC_AUTH_TOKEN": "${secret}"`);
    const kept = await page.evaluate(() =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        history.state,
        location.href,
      ]),
    );
    expect(kept).not.toContain(secret);
    await open("/app/connect#claude-code");
    expect(await code("~/.claude/settings.json")).not.toContain(secret);
  });

  it("accepts a pasted key, and rejects an invalid one", async () => {
    await open("/app/connect#opencode");
    await page.getByLabel("Key", { exact: true }).fill("sk-other");
    await page.getByText("This is not a key").waitFor();
    expect(await code("~/.config/opencode/opencode.json")).not.toContain("sk-other");
    const key = `sk-sotto-${"a".repeat(49)}`;
    await page.getByLabel("Key", { exact: true }).fill(` ${key} `);
    expect(await code("~/.config/opencode/opencode.json")).toContain(key);
  });

  it("says in words which client works with which model, and whom to ask", async () => {
    await open("/app/connect#claude-code");
    const fits = page.getByRole("list", { name: "Claude Code and the models" });
    await fits
      .getByText(/needs at least 32k tokens of context; omega has [\d,]+ here: it will not work/)
      .waitFor();
    expect(await fits.getByText("Will not work", { exact: true }).count()).toBe(3);
    const link = page.getByRole("navigation", { name: "Clients" }).getByRole("link", { name: "opencode" });
    expect(await link.textContent()).toBe("opencode, with omega: Will not work");
    await page.getByText(/^Ask .* for a model with at least 32k tokens of context\.$/).waitFor();
    await page.getByRole("link", { name: "curl" }).click();
    await page.getByRole("heading", { level: 2, name: "curl" }).waitFor();
    expect(await fits.count()).toBe(0);
  });

  it("tests the connection: waits for the client's request, says what was wrong, then that it is connected", async () => {
    await open("/app/connect#codex");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("Agent");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const secret = await shownSecret(page);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Test connection" }).click();
    const status = page.getByRole("region", { name: "Test connection" }).getByRole("status");
    await status
      .getByText(`Waiting for the first request of Codex CLI with the key …${secret.slice(-4)}`)
      .waitFor();
    const ask = (key: string, model: string) =>
      fetch(`${sotto.url}/v1/responses`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "codex_exec/0.166.0",
          authorization: `Bearer ${key}`,
        },
        body: JSON.stringify({ model, input: "hello", max_output_tokens: 2 }),
      }).then((response) => response.text());
    await ask("YOUR_SOTTO_API_KEY", "omega");
    await status.getByText("401: Codex CLI reached this service, but what it sent is not a key").waitFor();
    await ask(secret, "gpt-5.9");
    await status
      .getByText("404: Codex CLI asked for a model that does not exist here. Set it to omega.")
      .waitFor();
    // It begins again with nothing.
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Test again" }).click();
    await status.getByText("Waiting for the first request").waitFor();
    await ask(secret, "omega");
    await status.getByText(/^Connected, \d+ ms to the first token\.$/).waitFor();
    await page.getByRole("button", { name: "Test again" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("is where a new key leads to", async () => {
    await page.goto(`${sotto.url}/app/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name").fill("Another");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await shownSecret(page);
    await page.getByRole("link", { name: "Connect a client" }).click();
    await page.waitForURL(`${sotto.url}/app/connect`);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it.each([
    [390, "light"],
    [1024, "dark"],
    [1440, "light"],
    [1440, "dark"],
  ] as const)(
    "is accessible at %i px in %s, for every client, and never wider than the window",
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await open();
      for (const { id, name } of connectClients) {
        await page.evaluate((hash) => (location.hash = hash), id);
        await page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(`${id}: ${overflow}`).toBe(`${id}: ${Math.min(0, overflow)}`);
      }
      // The three kinds of content: code, a file, a form.
      for (const id of ["curl", "continue", "n8n"]) {
        await page.evaluate((hash) => (location.hash = hash), id);
        expect((await violations(page)).map((violation) => `${id} ${violation}`)).toEqual([]);
      }
      expect(faults).toEqual([]);
    },
  );
});
