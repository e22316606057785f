/**
 * Default settings for weights. The starter repeats itself and digresses without its own; a good model would be
 * handicapped by them. Settings in the configuration take precedence over both.
 */
import { type ChatModelId, forEachChatModel, type ModelId } from "../core/models.js";
import { type ModelDefaults, plainDefaults } from "../core/serving/model-defaults.js";
import { isStarterFile } from "./starter/starter.js";

/**
 * Chosen by `npm run bench -- answers`: of 108 questions 91 right at the usual temperature and 96 at 0, against 86 and
 * 93 with a system prompt, a penalty of 1.15 and a min-p of 0.2.
 */
const starterDefaults: ModelDefaults = {
  systemPrompt: "",
  maxTokens: 256,
  repeatPenalty: 1.05,
  minP: 0.4,
};

export const defaultsOfWeights = (path: string): ModelDefaults =>
  isStarterFile(path) ? starterDefaults : plainDefaults;

/** It writes no reply. */
const embeddingDefaults: ModelDefaults = { ...plainDefaults, maxTokens: 0 };

type Configured = { [K in keyof ModelDefaults]: ModelDefaults[K] | undefined };

/** For each model what the operator set, and the rest as the weights want it. */
export function modelDefaults(
  configured: Readonly<Record<ChatModelId, Configured>>,
  { systemPrompt, maxTokens, repeatPenalty, minP }: ModelDefaults,
): Record<ModelId, ModelDefaults> {
  const chat = forEachChatModel((model) => ({
    systemPrompt: configured[model].systemPrompt ?? systemPrompt,
    maxTokens: configured[model].maxTokens ?? maxTokens,
    repeatPenalty: configured[model].repeatPenalty ?? repeatPenalty,
    minP: configured[model].minP ?? minP,
  }));
  return { ...chat, iota: embeddingDefaults };
}
