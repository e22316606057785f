/** What one account sends must not keep the engine from another: the real engine, with a line before its sequences. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import { eventually } from "../../support/eventually.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { drain, generationOf, never } from "../../contract/engines/engine-contract.js";

let tiny: TinyEngine;
beforeAll(async () => {
  const config = { ...loadConfig({ env: {} }).engine, sequences: 4, contextTokens: 1024 };
  // Large enough that reading a long prompt takes many steps.
  tiny = startTinyEngine({ scale: 2 }, { config });
  await tiny.engine.ready();
});
afterAll(() => tiny.dispose());

describe("an account with 16 long prompts", () => {
  it("has every sequence, and gives one up for another account's request", async () => {
    const { engine } = tiny;
    const ended: string[] = [];
    const prepare = (accountId: string, content: string) =>
      engine.prepare(generationOf(content, { accountId, maxTokens: 2 }), never());
    const flood = await Promise.all(
      Array.from({ length: 16 }, (_, index) => prepare("flood", `${index} `.repeat(300))),
    );
    const newcomer = await prepare("newcomer", "Hi.");
    const run = async (prepared: (typeof flood)[number]) => {
      await drain(engine.generate(prepared, never()));
      ended.push(prepared.generation.accountId);
    };
    const flooding = flood.map(run);
    await eventually(() => engine.status("omega").active === 4);
    await run(newcomer);
    expect(ended.indexOf("newcomer")).toBeLessThan(8);
    await Promise.all(flooding);
    expect(ended).toHaveLength(17);
  });
});
