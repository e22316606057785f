/** The models of the specification, in the order in which they are listed. */
export const chatModelIds = ["omega", "prism", "lambda"] as const;
export type ChatModelId = (typeof chatModelIds)[number];

/** With the one that embeds and ranks, and does not chat. */
export const modelIds = [...chatModelIds, "iota"] as const;
export type ModelId = (typeof modelIds)[number];

export const forEachModel = <T>(valueOf: (model: ModelId) => T): Record<ModelId, T> => ({
  ...forEachChatModel(valueOf),
  iota: valueOf("iota"),
});

export const forEachChatModel = <T>(valueOf: (model: ChatModelId) => T): Record<ChatModelId, T> => ({
  omega: valueOf("omega"),
  prism: valueOf("prism"),
  lambda: valueOf("lambda"),
});

export function isModelId(value: string): value is ModelId {
  return (modelIds as readonly string[]).includes(value);
}

export function isChatModelId(value: string): value is ChatModelId {
  return (chatModelIds as readonly string[]).includes(value);
}
