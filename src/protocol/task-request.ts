/** Requests for vectors and scores: what all of them have in common, whatever the API. */
import type { ChatRequest, VectorTask } from "../core/chat/request.js";
import { neutralRequest, readSampling } from "./sampling.js";

/** OpenAI's own bound of inputs. */
export const maxInputs = 2048;

/** There is no reply to shape. */
export const taskRequest = (model: string, task: VectorTask): ChatRequest => ({
  ...neutralRequest,
  model,
  messages: [],
  task,
  sampling: readSampling({}, 2),
});

/** For dialects whose requests never ask for a stream. */
export const notStreamed = (): never => {
  throw new Error("A task is never streamed.");
};
