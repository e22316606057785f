import { describe, expect, it } from "vitest";
import { generationOf, replyTo } from "../../test/contract/engine.js";
import { FakeEngine } from "../../test/support/fake-engine.js";
import type { Engine } from "../core/ports.js";
import type { ModelId } from "../protocol/models.js";
import { ByModelEngine } from "./by-model.js";

class ClosingEngine extends FakeEngine {
  closed = 0;

  override async close(): Promise<void> {
    this.closed += 1;
    await super.close();
  }
}

describe("engines by model", () => {
  const [shared, own] = [new ClosingEngine({ capacity: 2 }), new ClosingEngine({ capacity: 7 })];
  const engines = new Map<ModelId, Engine>([
    ["omega", shared],
    ["prism", shared],
    ["lambda", own],
  ]);
  const engine = new ByModelEngine(engines);

  it("asks the engine of the model", async () => {
    expect((await replyTo(engine, generationOf("Hi", { model: "lambda" }))).text).toBe("Hello from lambda.");
    expect((await replyTo(engine, generationOf("Hi", { model: "prism" }))).text).toBe("Hello from prism.");
    expect(own.generations.map(({ model }) => model)).toEqual(["lambda"]);
    expect(shared.generations.map(({ model }) => model)).toEqual(["prism"]);
  });

  it("tells the state of the model's engine", () => {
    expect((["omega", "prism", "lambda"] as const).map((model) => engine.status(model).capacity)).toEqual([
      2, 2, 7,
    ]);
  });

  it("refuses a model without an engine", async () => {
    const none = new ByModelEngine(new Map());
    await expect(replyTo(none, generationOf("Hi"))).rejects.toMatchObject({ code: "model_not_found" });
  });

  it("closes each engine once", async () => {
    await engine.close();
    expect([shared.closed, own.closed]).toEqual([1, 1]);
  });
});
