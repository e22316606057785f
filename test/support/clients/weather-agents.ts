/** Agents of the common libraries, on any API: they have one tool and ask the model of weather-model.ts. */
import { tool as langChainTool } from "@langchain/core/tools";
import { Agent, tool as agentTool, type Runner } from "@openai/agents";
import { expect, it } from "vitest";
import { answer, asked, lookUp, place, prompt } from "./weather-model.js";

export const langChainWeather = langChainTool(async (input: { city: string }) => lookUp(input), {
  name: "get_weather",
  description: "The weather.",
  schema: place,
});

/** Of the Agents SDK. */
export const weatherAgent = () =>
  new Agent({
    name: "Weather",
    tools: [
      agentTool({
        name: "get_weather",
        description: "The weather.",
        parameters: place,
        execute: async (input) => lookUp(input),
      }),
    ],
  });

export function testAgentsOf(runner: () => Runner): void {
  it("runs an agent with tools to its answer", async () => {
    const result = await runner().run(weatherAgent(), prompt);
    expect(result.finalOutput).toBe(answer);
    expect(asked).toEqual(["Paris"]);
  });

  it("streams it", async () => {
    const result = await runner().run(weatherAgent(), prompt, { stream: true });
    await result.completed;
    expect(result.finalOutput).toBe(answer);
  });

  it("hands over to another agent", async () => {
    const expert = new Agent({ name: "Expert" });
    const result = await runner().run(new Agent({ name: "Desk", handoffs: [expert] }), prompt);
    expect(result.lastAgent?.name).toBe("Expert");
    expect(result.finalOutput).toBe(answer);
  });
}
