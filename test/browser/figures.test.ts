/** The figures that pages show: there at once, true, each of them once. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { password, type Browser as Visitor } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { setStage } from "./support/stage.js";
import { openPage, signedInContext } from "./support/visit.js";

let operator: Visitor;
let context: BrowserContext | undefined;
let people = 0;

const stage = setStage(async (dashboard) => {
  dashboard.engine.options.defaultMaxTokensOf = { prism: 700 };
  operator = await dashboard.setUp();
});
afterEach(async () => {
  stage.dashboard.engine.release();
  await context?.close();
});

async function open(path: string, who?: { email: string }): Promise<Page> {
  if (who === undefined) {
    context = await signedInContext(stage.browser, stage.url, `reader${++people}@example.com`);
  } else {
    context = await stage.browser.newContext({ reducedMotion: "reduce" });
    context.setDefaultTimeout(60_000);
    const data = { ...who, password };
    await context.request.post(`${stage.url}/api/sign-in`, { data, headers: { origin: stage.url } });
  }
  const { page } = await openPage(context, stage.url);
  await page.goto(stage.url + path);
  return page;
}

const as = async <T>(page: Page, method: "get" | "post", path: string, data?: object): Promise<T> => {
  const options = { headers: { origin: stage.url }, ...(data === undefined ? {} : { data }) };
  return (await (await page.request[method](stage.url + path, options)).json()) as T;
};

async function chat(secret: string): Promise<number> {
  const response = await postChat(stage.url, secret);
  await response.text();
  return response.status;
}

const stat = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`).first();

describe("usage", () => {
  it.each(["/app", "/app/usage"])("shows a first request and refusals on %s live", async (path) => {
    const page = await open(path);
    await stat(page, "Requests").getByText("0", { exact: true }).waitFor();
    let loads = 0;
    page.on("domcontentloaded", () => (loads += 1));
    const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null };
    const key = { name: "Program", models: null, expiresInDays: null, limits };
    const { secret } = await as<KeyWithSecret>(page, "post", "/api/keys", key);
    expect([await chat(secret), await chat(secret)]).toEqual([200, 429]);
    // Far below the interval of what is read now and then.
    await stat(page, "Requests").getByText("1", { exact: true }).waitFor();
    await stat(page, "Requests").getByText("1 rate-limited").waitFor();
    await stat(page, "Errors").getByText("0", { exact: true }).waitFor();
    expect(loads).toBe(0);
  });

  it("lists refusals by key, and by model if the body was parsed", async () => {
    const page = await open("/app/usage");
    const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null };
    const key = { name: "Program", models: null, expiresInDays: null, limits };
    const { secret } = await as<KeyWithSecret>(page, "post", "/api/keys", key);
    for (let i = 0; i < 3; i++) await chat(secret);
    const row = (table: string, name: string) =>
      page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: name });
    await row("Usage by key", "Program")
      .filter({ hasText: /Program *…\w{4} *1 *2 *5/ })
      .waitFor();
    await row("Usage by model", "omega")
      .filter({ hasText: /omega *1 *0 *5/ })
      .waitFor();
    await row("Usage by model", "Refused before parsing")
      .filter({ hasText: /Refused before parsing *0 *2 *0/ })
      .waitFor();
  });

  it("is shown as numbers if the chart fails to render", async () => {
    const page = await open("/app/account");
    // What Chromium says of itself when it runs without a locale.
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "language", { get: () => "en-US@posix" }),
    );
    const key = { name: "Program", models: null, expiresInDays: null };
    const { secret } = await as<KeyWithSecret>(page, "post", "/api/keys", key);
    await chat(secret);
    await page.goto(`${stage.url}/app/usage`);
    await page.getByText("The chart could not be drawn.").first().waitFor();
    await stat(page, "Requests").getByText("1", { exact: true }).waitFor();
  });
});

describe("the plan in the sidebar", () => {
  const plan = {
    name: "Large",
    requestsPerMinute: 1_000,
    tokensPerMinute: 1_000_000,
    concurrentRequests: 20,
    maxKeys: 20,
    maxTokens: null,
    models: null,
  };

  it("changes with the account's, on a page that reads limits and on one that does not", async () => {
    const account = () => page.getByRole("button", { name: "Account:" });
    const page = await open("/app");
    const me = await as<Me>(page, "get", "/api/me");
    await operator.must("PUT", "/api/admin/plans/large", plan);
    await account().filter({ hasText: "Free plan" }).waitFor();
    await operator.post(`/api/admin/accounts/${me.account.id}/plan`, { planId: "large" });
    await account().filter({ hasText: "Large plan" }).waitFor();
    await page.goto(`${stage.url}/app/keys`);
    await account().filter({ hasText: "Large plan" }).waitFor();
    await operator.post(`/api/admin/accounts/${me.account.id}/plan`, { planId: "free" });
    await account().filter({ hasText: "Free plan" }).waitFor();
  });

  it("changes immediately for an admin who changes their own", async () => {
    await operator.must("PUT", "/api/admin/plans/free", { ...plan, name: "Free" });
    const page = await open("/admin/plans", { email: "operator@example.com" });
    await page.getByRole("button", { name: "Edit Free" }).click();
    await page.getByLabel("Name").fill("Basic");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Account:" }).filter({ hasText: "Basic plan" }).waitFor();
    await operator.must("PUT", "/api/admin/plans/free", { ...plan, name: "Free" });
  });
});

describe("quotas", () => {
  it("are set by an admin, and shown with their current use", async () => {
    const plans = await open("/admin/plans", { email: "operator@example.com" });
    await plans.getByRole("button", { name: "Create plan" }).click();
    await plans.getByLabel("Name").fill("Metered");
    await plans.getByLabel("Requests per day").fill("two");
    await plans.getByLabel("Tokens per month").fill("5000");
    const create = plans.getByRole("dialog").getByRole("button", { name: "Create plan" });
    await create.click();
    await plans.getByText("Enter a whole number, or leave it empty.").waitFor();
    await plans.getByLabel("Requests per day").fill("2");
    await create.click();
    await plans
      .getByRole("row", { name: /Metered/ })
      .getByText("2 requests/day")
      .waitFor();
    await context?.close();

    const page = await open("/app/limits");
    const me = await as<Me>(page, "get", "/api/me");
    await operator.post(`/api/admin/accounts/${me.account.id}/plan`, { planId: "metered" });
    const { secret } = await as<KeyWithSecret>(page, "post", "/api/keys", {
      ...{ name: "Program", models: null, expiresInDays: null },
    });
    expect([await chat(secret), await chat(secret), await chat(secret)]).toEqual([200, 200, 429]);
    await page.reload();
    await page
      .getByRole("meter", { name: "Requests per day" })
      .and(page.locator('[aria-valuetext="2 of 2"]'))
      .waitFor();
    await page.getByRole("meter", { name: "Tokens per month" }).waitFor();
    await page.goto(`${stage.url}/app`);
    await page.getByRole("meter", { name: "Requests today" }).waitFor();

    await page.goto(`${stage.url}/app/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name").fill("Small");
    await page.getByLabel("Set lower limits than my plan’s").check();
    await page.getByLabel("Tokens per day").fill("700");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await eventually(async () => {
      const { keys } = await as<{ keys: KeyWithSecret["key"][] }>(page, "get", "/api/keys");
      return keys.some(({ limits }) => limits.tokensPerDay === 700);
    });
  });
});

describe("an engine that all models share", () => {
  it("is shown once, with its models, and its tokens while it produces them", async () => {
    const page = await open("/admin/engines", { email: "operator@example.com" });
    await page.getByRole("region", { name: /omega.*prism.*lambda/ }).waitFor();
    expect(await page.getByRole("meter", { name: "Running" }).count()).toBe(1);
    stage.dashboard.engine.hold();
    stage.dashboard.engine.script = () => ({ fragments: new Array<string>(200).fill("a ") });
    const stream = page.evaluate(async () => {
      const body = { model: "prism", stream: true, messages: [{ role: "user", content: "hello" }] };
      const headers = { "content-type": "application/json" };
      await fetch("/api/playground", { method: "POST", headers, body: JSON.stringify(body) });
    });
    await eventually(() => stage.dashboard.engine.active === 1);
    stage.dashboard.engine.release(100);
    await stat(page, "Tokens per second").filter({ hasText: /[1-9]/ }).waitFor();
    expect(stage.dashboard.engine.active).toBe(1);
    stage.dashboard.engine.release();
    await stream;
  });

  it("has one queue on the page of limits", async () => {
    const page = await open("/app/limits");
    const rows = page.getByRole("table", { name: "Queues" }).getByRole("row");
    await rows.filter({ hasText: /omega.*prism.*lambda/ }).waitFor();
    expect(await rows.count()).toBe(2);
  });
});

describe("the default of max_tokens", () => {
  it("is shown for each model where a reply is requested", async () => {
    const page = await open("/app/playground");
    const field = page.getByLabel("Max tokens");
    expect(await field.getAttribute("placeholder")).toBe("Default: 256");
    await page.getByLabel("Model", { exact: true }).selectOption("prism");
    expect(await field.getAttribute("placeholder")).toBe("Default: 700");
    await page.goto(`${stage.url}/app/limits`);
    await page.getByText("at most 256 tokens (omega, lambda) or 700 (prism)").waitFor();
    await page.goto(`${stage.url}/docs/models`);
    await page.getByText("at most 256 tokens (omega, lambda) or 700 (prism)").waitFor();
  });
});

describe("an address with a fragment", () => {
  const isInView = (page: Page, id: string) =>
    eventually(() =>
      page.evaluate((name) => {
        const part = document.getElementById(name);
        if (part === null) return false;
        const { top } = part.getBoundingClientRect();
        const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
        return scrollY > 0 && top >= 0 && top < (isEnd ? innerHeight : 200);
      }, id),
    );

  it.each([
    ["/docs/errors", "engine_unavailable"],
    ["/docs/errors", "status-429"],
    ["/docs/api", "createChatCompletion"],
    ["/docs/privacy", "tested"],
  ])("opens %s at its part %s", async (path, id) => {
    const page = await open(`${path}#${id}`);
    await isInView(page, id);
  });

  it("leads from one page to the part of another", async () => {
    const page = await open("/docs/errors");
    await page.getByRole("link", { name: "an error is the last event" }).click();
    await page.waitForURL(/streaming#errors$/);
    await isInView(page, "errors");
  });

  it.each([
    ["waits for a part that arrives late", false],
    ["gives way to a reader who scrolls meanwhile", true],
  ])("%s", async (_name, scrolls) => {
    const page = await open("/docs/errors#late");
    await page.locator("#status-503").waitFor();
    if (scrolls) {
      await page.mouse.wheel(0, 100);
      await eventually(() => page.evaluate(() => scrollY > 0));
    }
    const before = await page.evaluate(() => scrollY);
    const after = await page.evaluate(async () => {
      const part = document.createElement("p");
      part.id = "late";
      document.getElementById("status-503")?.after(part);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return scrollY;
    });
    expect(after > before).toBe(!scrolls);
  });
});
