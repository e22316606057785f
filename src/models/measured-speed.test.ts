import { describe, expect, it } from "vitest";
import { readSpeed, SpeedNotes } from "./measured-speed.js";

function memory() {
  const rows = new Map<string, string>();
  return {
    getSetting: async (name: string) => rows.get(name) ?? null,
    setSetting: async (name: string, value: string) => void rows.set(name, value),
  };
}

describe("the speed of a file", () => {
  it("is noted from the gaps between tokens, once there are enough", async () => {
    const store = memory();
    const notes = new SpeedNotes(store, (model) => (model === "omega" ? "/models/a.gguf" : null));
    for (let token = 0; token < 10; token++) notes.add("omega", 50, 1);
    await notes.flush();
    expect(await readSpeed(store, "/models/a.gguf")).toBeNull();
    for (let token = 0; token < 10; token++) notes.add("omega", 50, 1);
    for (let token = 0; token < 30; token++) notes.add("prism", 50, 1);
    await notes.close();
    expect(await readSpeed(store, "/elsewhere/a.gguf")).toMatchObject({ tokensPerSecond: 20 });
  });

  it("counts all tokens that arrive together", async () => {
    const store = memory();
    const notes = new SpeedNotes(store, () => "/models/a.gguf");
    for (let arrival = 0; arrival < 5; arrival++) notes.add("omega", 200, 4);
    await notes.close();
    expect(await readSpeed(store, "/models/a.gguf")).toMatchObject({ tokensPerSecond: 20 });
  });
});
