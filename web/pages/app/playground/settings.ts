/** The state of the playground's controls, and the request made from it. */
import type { ChatModelId } from "../../../../src/core/models.js";
import type { ChatBody } from "../../../service/chat-stream.ts";
import type { Turn } from "./conversation.ts";
import { messagesOf } from "./messages.ts";
import { namesOf, readTools } from "./tools.ts";

export interface Settings {
  model: ChatModelId;
  system: string;
  /** Null for the service's default, which is then left out of the request. */
  temperature: number | null;
  topP: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  /** As typed; empty for the model's default, which is then left out of the request. */
  maxTokens: string;
  /** As typed, one per line. */
  stop: string;
  /** As typed: JSON, or empty for none. */
  tools: string;
  /** Empty for the model's own choice; `none`, `required`, or a function by its name after `function:`. */
  toolChoice: string;
  /** Empty for the model's default. */
  effort: string;
}

/** The service's defaults. Without a top P, the model's own sampling default (min-p) applies. */
export const samplingDefaults = { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0 };

export const efforts = ["none", "low", "medium", "high"] as const;

const maxStops = 16;

export function defaultSettings(model: ChatModelId): Settings {
  return {
    model,
    system: "",
    temperature: null,
    topP: null,
    frequencyPenalty: null,
    presencePenalty: null,
    maxTokens: "",
    stop: "",
    tools: "",
    toolChoice: "",
    effort: "",
  };
}

export function requestOf(settings: Settings, turns: readonly Turn[]): ChatBody {
  const stop = stopsOf(settings.stop);
  const maxTokens = Number(settings.maxTokens);
  const tools = readTools(settings.tools).tools ?? [];
  return {
    model: settings.model,
    messages: [
      ...(settings.system.trim() === "" ? [] : [{ role: "system" as const, content: settings.system }]),
      ...messagesOf(turns),
    ],
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.topP === null ? {} : { top_p: settings.topP }),
    ...(settings.maxTokens === "" ? {} : { max_tokens: maxTokens }),
    ...(settings.frequencyPenalty === null ? {} : { frequency_penalty: settings.frequencyPenalty }),
    ...(settings.presencePenalty === null ? {} : { presence_penalty: settings.presencePenalty }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(tools.length === 0 ? {} : { tools, ...toolChoiceOf(settings.toolChoice, namesOf(tools)) }),
    ...(settings.effort === "" ? {} : { reasoning_effort: settings.effort }),
  };
}

/** The functions that can be chosen. */
export const functionNames = (tools: string): string[] => namesOf(readTools(tools).tools ?? []);

/** One that is no longer among the tools is left out. */
function toolChoiceOf(choice: string, names: readonly string[]): Pick<ChatBody, "tool_choice"> {
  if (choice === "none" || choice === "required") return { tool_choice: choice };
  const name = names.find((one) => choice === `function:${one}`);
  return name === undefined ? {} : { tool_choice: { type: "function", function: { name } } };
}

/** One sequence per line; `\n` and `\t` stand for characters that cannot be typed on a line. */
function stopsOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll(String.raw`\n`, "\n").replaceAll(String.raw`\t`, "\t"));
}

/** Invalid settings, by field; the service validates again. */
export function settingsErrors(settings: Settings): { maxTokens?: string; stop?: string; tools?: string } {
  const { maxTokens } = settings;
  const { error } = readTools(settings.tools);
  return {
    ...(maxTokens === "" || /^[1-9]\d{0,8}$/.test(maxTokens)
      ? {}
      : { maxTokens: "Enter a whole number, 1 or more." }),
    ...(stopsOf(settings.stop).length > maxStops ? { stop: `At most ${maxStops} sequences.` } : {}),
    ...(error === null ? {} : { tools: error }),
  };
}
