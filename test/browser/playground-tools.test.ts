/** Tools in the playground: defined as JSON, called by the model, answered by hand. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Script } from "../support/engines/fake-engine.js";
import { violations } from "./support/axe.js";
import { openDialog, press } from "./support/opening.js";
import { setStage } from "./support/stage.js";
import { openPage, returningContext } from "./support/visit.js";

let context: BrowserContext;
let page: Page;
let faults: string[];

const calling: Script = {
  fragments: [
    { reasoning: "The weather is asked for. " },
    { reasoning: "I need both cities." },
    "Let me look.",
    { call: "get_weather", id: "call_a" },
    { arguments: '{"city":' },
    { arguments: '"Paris"}' },
    { call: "get_weather", id: "call_b" },
    { arguments: '{"city":"Oslo"}' },
  ],
  finishReason: "tool_calls",
};

const stage = setStage(async (dashboard) => {
  await dashboard.signUp("ada@example.com");
});
beforeEach(async () => {
  stage.dashboard.engine.generations.length = 0;
  stage.dashboard.engine.script = ({ messages }) =>
    messages.at(-1)?.role === "tool" ? { fragments: ["Clear in Paris, snow in Oslo."] } : calling;
  context = await returningContext(stage.browser, stage.url, "ada@example.com", { colorScheme: "light" });
  ({ page, faults } = await openPage(context, stage.url));
  await page.goto(`${stage.url}/app/playground`);
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const message = () => page.getByRole("textbox", { name: "Message" });
const tools = () => page.getByRole("textbox", { name: "Tools" });
const replies = () => page.getByRole("article", { name: "Reply from omega" });

async function ask(): Promise<void> {
  await press(page, "Use an example");
  await message().fill("Paris or Oslo?");
  await press(page, "Send");
}

describe("tools in the playground", () => {
  it("are called, answered by hand, and lead to a reply", async () => {
    await ask();
    const calls = replies().first().getByRole("list", { name: "Calls" });
    await page.getByText("Waiting for the results of its calls", { exact: true }).waitFor();
    expect(await calls.getByRole("listitem").first().textContent()).toContain('{\n  "city": "Paris"\n}');
    expect(await violations(page)).toEqual([]);

    await page.getByLabel("Result 1: get_weather").fill("clear");
    await page.getByLabel("Result 2: get_weather").fill('{"sky":"snow"}');
    await press(page, "Send results");
    await page.getByText("Clear in Paris, snow in Oslo.", { exact: true }).waitFor();
    expect(await message().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await page.getByRole("button", { name: "Send results" }).count()).toBe(0);
    expect(await page.getByRole("list", { name: "Results" }).textContent()).toContain('{"sky":"snow"}');
    expect(await violations(page)).toEqual([]);

    const [first, second] = stage.dashboard.engine.generations;
    expect(first?.tooling?.tools).toMatchObject([{ name: "get_weather", strict: true }]);
    expect(second?.tooling).toEqual(first?.tooling);
    expect(second?.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "Let me look.",
        reasoning: "The weather is asked for. I need both cities.",
        toolCalls: [
          { id: "call_a", name: "get_weather", arguments: '{"city":"Paris"}' },
          { id: "call_b", name: "get_weather", arguments: '{"city":"Oslo"}' },
        ],
      },
      { role: "tool", content: "clear", toolCallId: "call_a" },
      { role: "tool", content: '{"sky":"snow"}', toolCallId: "call_b" },
    ]);

    await openDialog(page, "View code");
    await page.getByRole("tab", { name: "Python" }).click();
    const code = await page.getByRole("dialog").textContent();
    for (const text of ["tools=[", "get_weather", "call_b", "additionalProperties"])
      expect(code).toContain(text);
    const api = page.getByLabel("API", { exact: true });
    await api.selectOption("Responses");
    await page.getByText("client.responses.create(").waitFor();
    expect(await page.getByRole("dialog").textContent()).toContain('"call_id": "call_b"');
    await api.selectOption("Messages");
    await page.getByText("client.messages.create(").waitFor();
    expect(await page.getByRole("dialog").textContent()).toContain('"tool_use_id": "call_b"');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await press(page, "Clear");
    await page.getByText("Ask something").waitFor();
    expect(await tools().inputValue()).toBe("");
  });

  it("are chosen by hand, with the effort to think, until they are removed", async () => {
    expect(await page.getByLabel("Tool choice").count()).toBe(0);
    await page.getByLabel("Reasoning effort").selectOption("Low");
    await press(page, "Use an example");
    await page.getByLabel("Tool choice").selectOption("get_weather");
    expect(await violations(page)).toEqual([]);
    await message().fill("Paris or Oslo?");
    await press(page, "Send");
    await page.getByRole("button", { name: "Send results" }).waitFor();
    expect(stage.dashboard.engine.generations).toMatchObject([
      { reasoningEffort: "low", tooling: { tools: [{ name: "get_weather" }], choice: "required" } },
    ]);
    await press(page, "Remove tools");
    await press(page, "Use an example");
    expect(await page.getByLabel("Tool choice").inputValue()).toBe("");
  });

  it("expands the reasoning while there is nothing else, and collapses it when the reply begins", async () => {
    stage.dashboard.engine.hold();
    await ask();
    stage.dashboard.engine.release(2);
    const reasoning = replies().locator("details");
    await reasoning.getByText("I need both cities.").waitFor();
    expect(await violations(page)).toEqual([]);
    stage.dashboard.engine.release(1);
    await replies().getByText("Let me look.").waitFor();
    expect(await reasoning.getByText("I need both cities.").isVisible()).toBe(false);

    await reasoning.getByText("Reasoning", { exact: true }).click();
    await reasoning.getByText("I need both cities.").waitFor();
    stage.dashboard.engine.release();
    await page.getByRole("button", { name: "Send results" }).waitFor();
    expect(await reasoning.getByText("I need both cities.").isVisible()).toBe(true);
  });

  it("are refused beside their field, and nothing can be sent until they are right", async () => {
    await ask();
    await page.getByRole("button", { name: "Send results" }).waitFor();
    await tools().fill('[{"name": "two words"}]');
    await page.getByRole("alert").getByText("'tools[0].function.name'").waitFor();
    await message().fill("And Rome?");
    for (const name of ["Send", "Send results", "Regenerate", "Edit message"]) {
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true);
    }
    expect(await violations(page)).toEqual([]);
    await press(page, "Remove tools");
    await press(page, "Send");
    await replies().nth(1).getByText("Let me look.").waitFor();
    // The calls before it have no results, and without tools there are none to define.
    expect(stage.dashboard.engine.generations.at(-1)?.tooling).toBeUndefined();
    expect(stage.dashboard.engine.generations.at(-1)?.messages).toEqual([
      { role: "user", content: "Paris or Oslo?" },
      { role: "assistant", content: "Let me look." },
      { role: "user", content: "And Rome?" },
    ]);
  });
});
