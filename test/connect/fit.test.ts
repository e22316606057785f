import { describe, expect, it } from "vitest";
import { type ConnectClient, connectModel } from "../../src/connect/client.js";
import { connectClients, findClient } from "../../src/connect/clients.js";
import { betterModels, fitOf } from "../../src/connect/fit.js";

const client = (id: string): ConnectClient => {
  const found = findClient(id);
  if (found === undefined) throw new Error(id);
  return found;
};
const claude = client("claude-code");
const omega = (contextTokens: number | null, tools?: boolean) =>
  connectModel("omega", contextTokens, null, tools);

describe("a client and a model", () => {
  it("do not work together where the client's own prompt fills the context", () => {
    expect(fitOf(claude, omega(2_048))).toEqual({
      level: "fails",
      text: "Claude Code needs at least 32k tokens of context; omega has 2,048 here: it will not work.",
      wanted: { what: "model", text: "a model with at least 32k tokens of context" },
    });
  });

  it("work for short tasks where little else fits, and well from twice that on", () => {
    const { level, text, wanted } = fitOf(claude, omega(40_960));
    expect({ level, wanted: wanted?.text }).toEqual({
      level: "limited",
      wanted: "a model with at least 64k tokens of context",
    });
    expect(text).toContain("leaves about 23,000 for your files and its replies");
    expect(fitOf(claude, omega(65_536))).toMatchObject({ level: "works", wanted: null });
    expect(fitOf(client("codex"), omega(65_536), 200_000).level).toBe("works");
  });

  it("are amber where the context is not known", () => {
    expect(fitOf(claude, omega(null))).toMatchObject({
      level: "limited",
      text: "Claude Code needs at least 32k tokens of context; how much omega has here is not known.",
    });
  });

  it("do not work without tools, nor where the plan never lets a request through", () => {
    expect(fitOf(claude, omega(131_072, false)).text).toContain("needs tool calls");
    expect(fitOf(claude, omega(131_072, true), 20_000)).toMatchObject({
      level: "fails",
      wanted: { what: "plan" },
    });
  });

  it("always work where the client sends nothing of its own", () => {
    for (const one of connectClients.filter(({ needs }) => needs === undefined)) {
      expect(fitOf(one, omega(2_048, false), 1_000).level).toBe("works");
    }
  });

  it("leads to the model that fits best", () => {
    const models = [omega(2_048), connectModel("prism", 40_000, null), connectModel("lambda", 131_072, null)];
    expect(betterModels(claude, omega(2_048), models).map(({ id }) => id)).toEqual(["lambda", "prism"]);
    expect(betterModels(claude, omega(131_072), models)).toEqual([]);
  });

  it("every coding agent says what it needs, with room for more than its own prompt", () => {
    for (const { group, needs } of connectClients.filter(({ group }) => group === "Coding agents")) {
      expect([group, needs?.tools]).toEqual(["Coding agents", true]);
      expect(needs?.leastContextTokens).toBeGreaterThan(1.5 * (needs?.firstRequestTokens ?? Infinity));
    }
  });
});
