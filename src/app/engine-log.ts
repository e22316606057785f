/** Log lines about engines of this machine. */
import { wordsOf } from "../engines/llama/gpu/failures.js";
import type { LlamaEvent } from "../engines/llama/host/supervisor.js";
import type { Log } from "../log.js";

export function logEngineEvent(log: Log, event: LlamaEvent): void {
  switch (event.type) {
    case "loaded":
      log.info("engine loaded", event);
      return;
    case "load_failed":
      log.warn("engine did not load", { cause: event.cause, loadError: wordsOf(event.reason) });
      return;
    case "exited": {
      const { code: exitCode, signal: exitSignal, cause } = event;
      const isKilled = cause === "KILLED_BY_SYSTEM";
      const message = isKilled ? "engine killed by the system, probably out of memory" : "engine exited";
      log[cause === "CLOSED" ? "info" : "warn"](message, { exitCode, exitSignal, cause });
      return;
    }
    case "unloaded":
      log.info("engine unloaded");
      return;
    case "restarting":
      log.warn("engine restarting", { delayMs: event.delayMs, cause: event.cause });
  }
}
