/** An engine without a model that calls whatever it must, after a thought. For tests of what calls pass through. */
import type {
  Generation,
  GenerationEvent,
  PreparedGeneration,
} from "../../../src/core/serving/engine-port.js";
import { FakeEngine } from "./fake-engine.js";

export class CallingEngine extends FakeEngine {
  override async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    const prepared = await super.prepare(generation, signal);
    const inTools = generation.tooling === undefined ? 0 : JSON.stringify(generation.tooling.tools).length;
    return { ...prepared, promptTokens: prepared.promptTokens + Math.ceil(inTools / 4) };
  }

  override async *generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const { tooling, choices, reasoningEffort } = prepared.generation;
    if (tooling?.choice !== "required") {
      yield* super.generate(prepared, signal);
      return;
    }
    const called = tooling.parallel ? tooling.tools : tooling.tools.slice(0, 1);
    this.generations.push(prepared.generation);
    const thinks = reasoningEffort !== "none";
    for (let choice = 0; choice < choices; choice++) {
      if (thinks) yield [{ type: "reasoning", choice, text: "I must call." }];
      for (const [index, { name, parameters }] of called.entries()) {
        const { city } = (parameters as { properties: { city: { enum: string[] } } }).properties;
        yield [{ type: "call", choice, call: index, id: `call_${choice}_${index}`, name }];
        yield [{ type: "arguments", choice, call: index, text: '{"city":' }];
        yield [{ type: "arguments", choice, call: index, text: `${JSON.stringify(city.enum[0])}}` }];
        signal.throwIfAborted();
      }
      yield [{ type: "finished", choice, finishReason: "tool_calls" }];
    }
    const reasoningTokens = thinks ? 3 * choices : 0;
    const completionTokens = called.length * 5 * choices + reasoningTokens;
    const usage = { promptTokens: prepared.promptTokens, completionTokens, cachedTokens: 0, reasoningTokens };
    yield [{ type: "done", usage }];
  }
}
