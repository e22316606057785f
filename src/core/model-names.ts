/**
 * Which model a request means: the one place where names that clients send become models of ours. A model's own name
 * always means itself. A name that means nothing is a client's text: it goes nowhere from here.
 */
import { ServiceError } from "./errors.js";
import { isPattern, matches, type ModelAlias } from "./model-aliases.js";
import { isModelId, type ModelId } from "./models.js";

export class ModelNames {
  #aliases: readonly ModelAlias[] = [];
  #exact: ReadonlyMap<string, ModelId> = new Map();
  #patterns: readonly ModelAlias[] = [];

  constructor(aliases: readonly ModelAlias[] = []) {
    this.replace(aliases);
  }

  get aliases(): readonly ModelAlias[] {
    return this.#aliases;
  }

  /** From the next request on. */
  replace(aliases: readonly ModelAlias[]): void {
    this.#aliases = aliases;
    this.#exact = new Map(this.exact.map(({ name, model }) => [name, model]));
    this.#patterns = aliases.filter(({ name }) => isPattern(name));
  }

  /** Without patterns, whose names cannot be listed. */
  get exact(): ModelAlias[] {
    return this.aliases.filter(({ name }) => !isPattern(name));
  }

  find(name: string): ModelId | undefined {
    if (isModelId(name)) return name;
    return this.#exact.get(name) ?? this.#patterns.find((alias) => matches(alias.name, name))?.model;
  }

  /** Throws `model_not_found`. */
  require(name: string): ModelId {
    const model = this.find(name);
    if (model === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return model;
  }
}
