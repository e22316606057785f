/** The thread that reads the inputs of tasks: thousands of texts take as long as some steps, which must not wait. */
import { workerData } from "node:worker_threads";
import { failToStart, performTasks } from "../../../../adapters/worker-tasks.js";
import type { VectorTask } from "../../../../core/chat/request.js";
import type { PrepareResult } from "../../messages.js";
import { openVocabulary, type VocabularySource } from "../native-vocabulary.js";
import { InputReader, type InputFacts } from "./inputs.js";

export interface InputSetup extends InputFacts {
  source: VocabularySource;
}

async function open({ source, ...facts }: InputSetup): Promise<void> {
  const reader = new InputReader(await openVocabulary(source), facts);
  performTasks((task: VectorTask) => read(reader, task));
}

/** An input that trips the tokenizer must not end the thread. */
function read(reader: InputReader, task: VectorTask): PrepareResult {
  try {
    return reader.read(task);
  } catch {
    return { type: "failed" };
  }
}

open(workerData as InputSetup).catch((error: unknown) => {
  // No input has been seen yet: the message can only be about the file and the machine.
  failToStart(error instanceof Error ? error.message : "unknown error");
});
