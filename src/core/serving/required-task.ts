/** Whether a model does what a request asks of it: reply, embed or rank. */
import type { ChatRequest } from "../chat/request.js";
import { ServiceError } from "../errors.js";
import { isChatModelId, type ModelId } from "../models.js";
import type { EngineStatus, EngineTask } from "./engine-port.js";

export const taskOf = ({ task }: Pick<ChatRequest, "task">): EngineTask => task?.type ?? "chat";

/** What a model computes: one of these does not chat, whatever its engine could. */
export function tasksOf(model: ModelId, { follows }: Pick<EngineStatus, "follows">): readonly EngineTask[] {
  const tasks = follows.tasks ?? ["chat"];
  return isChatModelId(model) ? tasks : tasks.filter((task) => task !== "chat");
}

/** A model that computes nothing is switched off. */
export const isOffered = (model: ModelId, status: Pick<EngineStatus, "follows">): boolean =>
  tasksOf(model, status).length > 0;

/** Throws `unsupported_value` for a task that is not the model's, and `model_not_found` where it is switched off. */
export function requireTask(request: ChatRequest, model: ModelId, status: EngineStatus): void {
  if (!isOffered(model, status)) throw new ServiceError("model_not_found", { param: "model" });
  const task = taskOf(request);
  if (tasksOf(model, status).includes(task)) return;
  throw new ServiceError("unsupported_value", { message: refusals[task](model), param: "model" });
}

const refusals: Readonly<Record<EngineTask, (model: ModelId) => string>> = {
  chat: (model) =>
    `The model '${model}' does not chat: it computes embeddings. Use it with POST /v1/embeddings, and another model here.`,
  embed: (model) =>
    `The model '${model}' does not compute embeddings.${isChatModelId(model) ? " Use 'iota'." : " Its operator chose one that ranks documents only."}`,
  rank: (model) =>
    `The model '${model}' does not rank documents. ${isChatModelId(model) ? "Use 'iota', where its operator chose one that does" : "Its operator can choose one that does"}; or compare embeddings of the query and the documents.`,
};
