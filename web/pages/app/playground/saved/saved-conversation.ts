/**
 * A conversation and its settings as JSON, for an exported file; settings alone for a preset. What is read is checked
 * field by field: a file may come from anybody, and storage may have been written by an older version.
 */
import type { ToolCall } from "../../../../../src/core/chat/request.js";
import { isChatModelId, type ChatModelId } from "../../../../../src/core/models.js";
import { isObject, type JsonObject } from "../../../../../src/protocol/read-json.js";
import { emptyReply, type CallResult, type ReplyTurn, type Turn } from "../conversation.ts";
import { defaultSettings, type Settings } from "../settings.ts";

export interface SavedConversation {
  settings: Settings;
  /** The model that it is compared with. */
  second: ChatModelId | null;
  /** One, or one for each of two compared models. */
  conversations: readonly (readonly Turn[])[];
}

const mostTurns = 10_000;

/** Null for anything but what `JSON.stringify` made of one. */
export function readConversation(json: string): SavedConversation | null {
  try {
    const value = objectOf(JSON.parse(json));
    const second = value["second"] === null ? null : modelOf(value["second"]);
    const conversations = listOf(value["conversations"]).map((turns) => listOf(turns).map(turnOf));
    if (conversations.length !== (second === null ? 1 : 2)) return null;
    return { settings: settingsOf(value["settings"]), second, conversations };
  } catch {
    return null;
  }
}

/** Throws for what are no settings. */
export function settingsOf(value: unknown): Settings {
  const saved = objectOf(value);
  const settings = defaultSettings(modelOf(saved["model"]));
  for (const name of ["system", "maxTokens", "stop", "tools", "toolChoice", "effort"] as const) {
    settings[name] = textOf(saved[name]);
  }
  for (const name of ["temperature", "topP", "frequencyPenalty", "presencePenalty"] as const) {
    settings[name] = numberOf(saved[name]);
  }
  return settings;
}

/** Numbered anew: ids only tell the turns of a page apart. */
function turnOf(value: unknown, place: number): Turn {
  const turn = objectOf(value);
  const id = place + 1;
  if (turn["role"] === "user") return { id, role: "user", text: textOf(turn["text"]) };
  if (turn["role"] === "tool") return { id, role: "tool", results: listOf(turn["results"]).map(resultOf) };
  if (turn["role"] === "assistant") return replyOf(id, turn);
  throw new TypeError("no turn");
}

function replyOf(id: number, turn: JsonObject): ReplyTurn {
  const state = (["done", "stopped", "failed"] as const).find((one) => one === turn["state"]);
  const tokens = turn["tokens"] === null ? null : objectOf(turn["tokens"]);
  return {
    ...emptyReply(id, modelOf(turn["model"])),
    // One that was still being written is over now.
    state: state ?? "stopped",
    text: textOf(turn["text"]),
    reasoning: textOf(turn["reasoning"]),
    calls: listOf(turn["calls"]).map(callOf),
    failure: turn["failure"] === null ? null : textOf(turn["failure"]),
    reason: reasonOf(turn["reason"]),
    firstTokenMs: numberOf(turn["firstTokenMs"]),
    totalMs: numberOf(turn["totalMs"]),
    tokens:
      tokens === null
        ? null
        : { prompt: numberOf(tokens["prompt"]) ?? 0, completion: numberOf(tokens["completion"]) ?? 0 },
  };
}

function callOf(value: unknown): ToolCall {
  const call = objectOf(value);
  return { id: textOf(call["id"]), name: textOf(call["name"]), arguments: textOf(call["arguments"]) };
}

function resultOf(value: unknown): CallResult {
  const result = objectOf(value);
  return { callId: textOf(result["callId"]), name: textOf(result["name"]), text: textOf(result["text"]) };
}

const reasonOf = (value: unknown): ReplyTurn["reason"] =>
  (["stop", "length", "tool_calls"] as const).find((one) => one === value) ?? null;

function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new TypeError("no object");
  return value;
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length > mostTurns) throw new TypeError("no list");
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("no text");
  return value;
}

function numberOf(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value !== "number") throw new TypeError("no number");
  return value;
}

function modelOf(value: unknown): ChatModelId {
  const name = textOf(value);
  if (!isChatModelId(name)) throw new TypeError("no model");
  return name;
}
