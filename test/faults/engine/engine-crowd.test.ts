import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";

describe("eight clients at once", () => {
  it("all progress, and each gets the reply it gets when alone", async () => {
    const crowd = await startTinySotto({ SOTTO_ENGINE_SEQUENCES: "8" });
    try {
      const eight = new OpenAI({ baseURL: crowd.baseURL, apiKey: await crowd.newKey() });
      const ask = async (marker: string): Promise<string> => {
        const stream = await eight.chat.completions.create({
          model: "prism",
          temperature: 0,
          max_completion_tokens: 16,
          messages: [{ role: "user", content: `${marker} says ${marker}` }],
          stream: true,
        });
        let text = "";
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
        return text;
      };
      const markers = Array.from({ length: 25 }, (_, index) => `marker-${index}-${(index * 7919) % 1000}`);
      const alone = new Map<string, string>();
      for (const marker of markers) alone.set(marker, await ask(marker));
      expect(new Set(alone.values()).size).toBeGreaterThan(8);

      const turnsEach = 25;
      let identical = 0;
      const turns = Array.from({ length: 8 }, async (_, client) => {
        for (let turn = 0; turn < turnsEach; turn++) {
          const marker = markers[(turn + client * 3) % markers.length] ?? "";
          const [reply, expected] = [await ask(marker), alone.get(marker) ?? ""];
          // Sums are rounded differently in batches of another size, which decides where two tokens of a
          // random model are all but tied. Someone else's text would differ from the first word on.
          expect(reply.slice(0, 12)).toBe(expected.slice(0, 12));
          if (reply === expected) identical += 1;
        }
      });
      await Promise.all(turns);
      expect(identical).toBeGreaterThan(8 * turnsEach * 0.9);
    } finally {
      await crowd.stop();
    }
  });
});
