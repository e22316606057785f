/**
 * What can answer for a model: the starter weights, a GGUF file, servers elsewhere, or nothing. This is the one
 * definition of the shape; `sotto models use` stores it as JSON in the setting of the model.
 */
import * as z from "zod";
import { engineBounds, engineMemberSchema, type EngineMember } from "../../protocol/engine-member.js";
import { isChatModelId, type ModelId } from "../../core/models.js";

export const modelSourceSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("starter") }),
  z.strictObject({ type: z.literal("embedding-starter") }),
  z.strictObject({
    type: z.literal("weights"),
    path: z.string().min(1).max(4096),
    /** Of each conversation; without it as much as memory allows. */
    contextTokens: z.int().min(engineBounds.contextTokens.min).max(engineBounds.contextTokens.max).optional(),
    /** The file of a smaller model that guesses its tokens. */
    draft: z.string().min(1).max(4096).optional(),
  }),
  z.strictObject({ type: z.literal("upstreams"), upstreams: z.array(engineMemberSchema).min(1).max(64) }),
  /** Only for a model that need not be there. */
  z.strictObject({ type: z.literal("off") }),
]);

export type ModelSource = z.infer<typeof modelSourceSchema>;
export type LocalSource = Extract<ModelSource, { type: "starter" | "embedding-starter" | "weights" }>;

/** The setting that holds the source of a model; absent or empty means the default. */
export const sourceSetting = (model: ModelId): string => `model.${model}`;

/** For people: never a key. */
export function describeSource(source: ModelSource): string {
  switch (source.type) {
    case "starter":
    case "embedding-starter":
      return "starter";
    case "off":
      return "off";
    case "weights":
      return source.draft === undefined ? source.path : `${source.path} (drafted)`;
    case "upstreams":
      return source.upstreams.map(describeMember).join(", ");
  }
}

export const describeMember = (member: EngineMember): string =>
  "url" in member ? member.url : member.weights;

/** The weights that come with Sotto for the model. */
export const starterOf = (model: ModelId): LocalSource => ({
  type: isChatModelId(model) ? "starter" : "embedding-starter",
});

export const isStarter = ({ type }: ModelSource): boolean =>
  type === "starter" || type === "embedding-starter";

/** Weights as an operator writes them: the word for those that come with Sotto, or a file. */
export const weightsSource = (weights: string, model: ModelId): LocalSource =>
  weights === "starter" ? starterOf(model) : { type: "weights", path: weights };
