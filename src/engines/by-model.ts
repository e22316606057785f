/** Several engines as one: each model is answered by its own. Models may share an engine. */
import type { Engine, EngineStatus, Generation, GenerationEvent, PreparedGeneration } from "../core/ports.js";
import { ServiceError } from "../protocol/errors.js";
import type { ModelId } from "../protocol/models.js";

export class ByModelEngine implements Engine {
  constructor(private readonly engines: ReadonlyMap<ModelId, Engine>) {}

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    return this.#engineOf(generation.model).prepare(generation, signal);
  }

  generate(prepared: PreparedGeneration, signal: AbortSignal): AsyncIterable<GenerationEvent> {
    return this.#engineOf(prepared.generation.model).generate(prepared, signal);
  }

  status(model: ModelId): EngineStatus {
    return this.#engineOf(model).status(model);
  }

  async close(): Promise<void> {
    await Promise.all([...new Set(this.engines.values())].map((engine) => engine.close()));
  }

  #engineOf(model: ModelId): Engine {
    const engine = this.engines.get(model);
    if (engine === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return engine;
  }
}
