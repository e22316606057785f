import type { z } from "zod";
import type { engineBody } from "../../../../src/protocol/dashboard/models.js";

/** The form, as text. */
export interface EngineDraft {
  url: string;
  profile: string;
  name: string;
  key: string;
  contextTokens: string;
  acceptSharedCache: boolean;
  allowPublic: boolean;
  vision: boolean;
}

export const emptyEngine: EngineDraft = {
  url: "",
  profile: "openai",
  name: "",
  key: "",
  contextTokens: "",
  acceptSharedCache: false,
  allowPublic: false,
  vision: false,
};

type Profile = z.input<typeof engineBody>["profile"];

const profiles: Record<Profile, string> = {
  vllm: "vLLM",
  sglang: "SGLang",
  "llama-server": "llama-server",
  ollama: "Ollama",
  openai: "Other (OpenAI-compatible API)",
};

export const profileOptions = Object.entries(profiles).map(([value, label]) => ({ value, label }));

/** Empty fields are left to the service. */
export function bodyOf(draft: EngineDraft): z.input<typeof engineBody> {
  const { name, key, contextTokens } = draft;
  return {
    url: draft.url.trim(),
    profile: isProfile(draft.profile) ? draft.profile : "openai",
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(key === "" ? {} : { key }),
    ...(contextTokens === "" ? {} : { contextTokens: Number(contextTokens) }),
    ...(draft.acceptSharedCache ? { acceptSharedCache: true } : {}),
    ...(draft.allowPublic ? { allowPublic: true } : {}),
    ...(draft.vision ? { vision: true } : {}),
  };
}

const isProfile = (text: string): text is Profile => text in profiles;
