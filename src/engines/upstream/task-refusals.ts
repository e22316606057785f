/** What an engine's refusal of a task means to our client. */
import type { VectorTask } from "../../core/chat/request.js";
import { ServiceError } from "../../core/errors.js";

/**
 * There is no such endpoint: the engine was started without it. A 404 that is about the model means a name that the
 * operator got wrong.
 */
export const lacksEndpoint = (status: number, text: string): boolean =>
  status === 501 || ((status === 404 || status === 405) && !/model/i.test(text));

/** The endpoint is there, and its model of another kind: vLLM. */
export const lacksModel = (status: number, text: string): boolean =>
  status === 400 && /does not support (?:the )?(?:embedding|rerank|score)/i.test(text);

export function unsupportedTask({ type }: VectorTask): ServiceError {
  const what = type === "embed" ? "compute embeddings" : "rank documents";
  return new ServiceError("unsupported_value", {
    message: `The engine behind this model does not ${what}.`,
    param: "model",
  });
}

export const unsupportedDimensions = (): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: "Unsupported parameter: 'dimensions'. The vectors of this model cannot be shortened.",
    param: "dimensions",
  });

export function tooLong({ type }: VectorTask, contextTokens: number, index?: number): ServiceError {
  const list = type === "embed" ? "input" : "documents";
  const param = index === undefined ? list : `${list}[${index}]`;
  const limit =
    contextTokens > 0
      ? `This model's maximum context length is ${contextTokens} tokens`
      : "This model's maximum context length is smaller than one of the texts";
  return new ServiceError("context_length_exceeded", {
    message: `${limit}, for each text of '${list}'. Shorten ${index === undefined ? "the longest" : `'${param}'`}, or split it.`,
    param,
  });
}
