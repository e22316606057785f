/** The thread that reads the inputs of tasks: thousands of texts take as long as some steps, which must not wait. */
import { openThread, performTasks } from "../../../../adapters/worker-tasks.js";
import type { VectorTask } from "../../../../core/chat/request.js";
import type { PrepareResult } from "../../messages.js";
import { openVocabulary, type VocabularySource } from "../vocabulary.js";
import { InputReader, type InputFacts } from "./inputs.js";

export interface InputSetup extends InputFacts {
  source: VocabularySource;
}

openThread(async ({ source, ...facts }: InputSetup) => {
  const reader = new InputReader(await openVocabulary(source), facts);
  performTasks((task: VectorTask): PrepareResult => reader.readOrFail(task));
});
