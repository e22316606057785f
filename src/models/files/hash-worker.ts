/** A thread that hashes files: gigabytes of weights would keep the event loop busy for seconds. */
import { performTasks } from "../../adapters/worker-tasks.js";
import { hashFile } from "./hash-file.js";

/** Null where the file cannot be read. */
performTasks((path: string) => hashFile(path).catch(() => null));
