/** Requests for vectors and scores: what their inputs became in the child, and refusals as errors for the client. */
import type { VectorTask } from "../../../core/chat/request.js";
import { ServiceError } from "../../../core/errors.js";
import type { EngineFeatures, EngineTask } from "../../../core/serving/engine-port.js";
import type { PrepareResult, VectorFacts } from "../messages.js";

/** What an engine for this task can follow. One for replies is described elsewhere. */
export const vectorFeatures = (task: EngineTask): EngineFeatures => ({
  jsonSchema: false,
  logprobs: false,
  tools: false,
  reasoning: false,
  tasks: [task],
});

/** Throws for what is well-formed, but not what this model does. */
export function requireSupported(
  asked: VectorTask | undefined,
  has: EngineTask,
  vectors: VectorFacts | undefined,
): void {
  const type = asked?.type ?? "chat";
  if (type !== has) {
    throw new ServiceError("unsupported_value", {
      message: `This model does not ${verbs[type]}. Choose another one: 'GET /v1/models' says what each is for.`,
      param: "model",
    });
  }
  if (asked?.type !== "embed" || asked.dimensions === undefined || vectors === undefined) return;
  const { dimensions, canShorten } = vectors;
  if (asked.dimensions === dimensions || (canShorten && asked.dimensions < dimensions)) return;
  throw new ServiceError("invalid_value", {
    message: canShorten
      ? `Invalid value for 'dimensions': this model's vectors have ${dimensions} numbers at most.`
      : `Invalid value for 'dimensions': this model's vectors have ${dimensions} numbers, and it was not trained for shorter ones. Leave it out.`,
    param: "dimensions",
  });
}

const verbs: Readonly<Record<EngineTask, string>> = {
  chat: "chat",
  embed: "compute embeddings",
  rank: "rank documents",
};

/** The tokens of each input; throws when one of them cannot be computed. */
export function inputsIn(
  result: PrepareResult,
  task: VectorTask,
  contextTokens: number,
): readonly Uint32Array[] {
  if (result.type === "inputs") return result.inputs;
  if (result.type !== "input_too_long" && result.type !== "unknown_token")
    throw new Error("The engine could not read the inputs.");
  const field = task.type === "embed" ? "input" : "documents";
  const param = `${field}[${result.index}]`;
  if (result.type === "unknown_token") {
    throw new ServiceError("invalid_value", {
      message: `Invalid value for '${param}': it has a token that this model does not have.`,
      param,
    });
  }
  const what = task.type === "embed" ? `'${param}' has` : `'query' and '${param}' have together`;
  throw new ServiceError("context_length_exceeded", {
    message:
      `This model's maximum context length is ${contextTokens} tokens. ` +
      `However, ${what} ${result.tokens} tokens. Please send shorter texts.`,
    param,
  });
}
