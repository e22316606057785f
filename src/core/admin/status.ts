/** What the public status page says: each model, the parts behind them, and all of it in one word. */
import type { ModelState } from "./service-views.js";
import { isChatModelId, modelIds, type ModelId } from "../models.js";
import type { News } from "./news.js";
import type { EngineStatus } from "../serving/engine-port.js";
import { isOffered } from "../serving/required-task.js";
import { withTimeLimit } from "../time-limit.js";

/** A queue this many times longer than what runs at once is worth mentioning. */
const longQueue = 2;
const pingTimeoutMs = 2_000;

export interface StatusSources {
  engineStatus: (model: ModelId) => EngineStatus;
  queue: (model: ModelId) => { running: number; waiting: number };
  /** Every model once; those that share a queue are together. */
  sharers: () => ModelId[][];
  pingStore: () => Promise<void>;
  /** `degraded` while replicas cannot count together. */
  limitsHealth: () => "ok" | "degraded";
  news: News;
}

interface StateNote {
  state: ModelState;
  note: string;
}

export interface StatusNow {
  overall: ModelState;
  models: (StateNote & { id: ModelId; waiting: number; sharedWith: ModelId[] })[];
  parts: (StateNote & { name: string })[];
}

export async function statusNow(sources: StatusSources): Promise<StatusNow> {
  const database = await databaseState(sources.pingStore);
  const isMaintenance = database.state === "up" && (await sources.news.openWindow()) !== null;
  const groups = sources.sharers();
  const offered = modelIds.filter((id) => isOffered(id, sources.engineStatus(id)));
  const models = offered.map((id) => {
    const group = groups.find((models) => models.includes(id)) ?? [];
    const { waiting } = sources.queue(id);
    const now: StateNote = isMaintenance
      ? { state: "maintenance", note: "Down for scheduled maintenance." }
      : modelState(sources.engineStatus(id), waiting);
    return { id, waiting, sharedWith: group.filter((other) => other !== id), ...now };
  });
  const parts = [
    { name: "Accounts and keys", ...database },
    { name: "Limits", ...limitsState(sources.limitsHealth()) },
  ];
  return { overall: worstOf(models, parts), models, parts };
}

function modelState({ state, capacity }: EngineStatus, waiting: number): StateNote {
  if (state === "starting") return { state: "down", note: "The model is not ready yet." };
  if (state === "down") return { state: "down", note: "The engine is not responding." };
  if (state === "asleep") return { state: "up", note: "Loaded on demand: the first reply takes longer." };
  if (state === "waking") return { state: "up", note: "The model is being loaded." };
  if (waiting > longQueue * capacity)
    return { state: "degraded", note: "Replies start more slowly than usual." };
  return { state: "up", note: "" };
}

function limitsState(health: "ok" | "degraded"): StateNote {
  if (health === "ok") return { state: "up", note: "" };
  return {
    state: "degraded",
    note: "Each server enforces its share of the limits, so they may be reached sooner.",
  };
}

async function databaseState(ping: () => Promise<void>): Promise<StateNote> {
  try {
    await withTimeLimit(ping(), pingTimeoutMs);
    return { state: "up", note: "" };
  } catch {
    return { state: "down", note: "The account database is unreachable." };
  }
}

/** Down only when every model that chats is; one part that fails degrades the whole. */
function worstOf(models: StatusNow["models"], parts: StatusNow["parts"]): ModelState {
  const has = (state: ModelState) => [...models, ...parts].some((part) => part.state === state);
  if (has("maintenance")) return "maintenance";
  if (models.filter(({ id }) => isChatModelId(id)).every(({ state }) => state === "down")) return "down";
  return has("down") || has("degraded") ? "degraded" : "up";
}
