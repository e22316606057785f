/** Log lines about engines: loaded, stopped, unreachable. */
import { wordsOf } from "../engines/llama/gpu/failures.js";
import type { ChildExit } from "../engines/llama/host/engine-causes.js";
import type { LlamaEvent } from "../engines/llama/host/supervisor.js";
import type { UpstreamEngineParts } from "../engines/upstream/upstream-engine.js";
import type { Log } from "../log.js";
import type { UpstreamSource } from "../protocol/engine-member.js";

export function logEngineEvent(log: Log, event: LlamaEvent): void {
  switch (event.type) {
    case "loaded":
      log.info("engine loaded", event);
      return;
    case "load_failed":
      log.warn("engine did not load", { cause: event.cause, loadError: wordsOf(event.reason) });
      return;
    case "exited":
      logExit(log, event);
      return;
    case "unloaded":
      log.info("engine unloaded");
      return;
    case "restarting":
      log.warn("engine restarting", { delayMs: event.delayMs, cause: event.cause });
  }
}

function logExit(log: Log, { code: exitCode, signal: exitSignal, cause }: ChildExit): void {
  const isKilled = cause === "KILLED_BY_SYSTEM";
  const message = isKilled ? "engine killed by the system, probably out of memory" : "engine exited";
  if (cause === "CLOSED") log.info(message, { exitCode, exitSignal, cause });
  else log.warn(message, { exitCode, exitSignal, cause });
}

/** Logs when an engine on the network stops answering or recovers, and why a request to it failed. */
export function upstreamEvents(
  log: Log,
  { url }: UpstreamSource,
): Pick<UpstreamEngineParts, "onState" | "onFailure"> {
  const engine = URL.canParse(url) ? new URL(url).host : undefined;
  return {
    onState: (state, cause) => {
      if (state === "ready") log.info("engine reachable", { engine });
      else log.warn("engine unreachable", { engine, cause });
    },
    onFailure: (cause) => {
      log.warn("engine request failed", { engine, cause });
    },
  };
}
