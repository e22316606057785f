/** Requests for vectors and scores: what all of them have in common, whatever the API. */
import type { ChatRequest, VectorTask } from "../core/chat/request.js";
import { readSampling } from "./sampling.js";

/** OpenAI's own bound of inputs. */
export const maxInputs = 2048;

/** There is no reply to shape: everything about one is neutral. */
export const taskRequest = (model: string, task: VectorTask): ChatRequest => ({
  model,
  messages: [],
  task,
  sampling: readSampling({}, 2),
  stop: [],
  maxTokens: undefined,
  choices: 1,
  topLogprobs: undefined,
  format: { type: "text" },
  tooling: undefined,
  reasoningEffort: undefined,
  stream: false,
  includeUsage: false,
});

/** For dialects whose requests never ask for a stream. */
export const notStreamed = (): never => {
  throw new Error("A task is never streamed.");
};
