/**
 * What can answer for a model: the starter weights, a GGUF file, or servers elsewhere. This is the one
 * definition of the shape; `sotto models use` stores it as JSON in the setting of the model.
 */
import { z } from "zod";
import type { ModelId } from "../protocol/models.js";

export const upstreamProfiles = ["vllm", "sglang", "llama-server", "ollama", "openai"] as const;

export const upstreamSchema = z.strictObject({
  /** With the path below which `/chat/completions` is, such as http://gpu1:8000/v1. */
  url: z.url({ protocol: /^https?$/, error: "must be an address such as http://gpu1:8000/v1" }),
  /** Which server it is, since they differ in what they accept. */
  profile: z.enum(upstreamProfiles, { error: `must be ${upstreamProfiles.join(", ")}` }).default("openai"),
  /** The model's name there; absent: the only one it serves. */
  name: z.string().min(1).max(200).optional(),
  /** Sent as a bearer token. */
  key: z.string().min(1).max(1000).optional(),
  /** Its share of the requests beside the others. */
  weight: z.number().positive().max(1000).default(1),
});

export const modelSourceSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("starter") }),
  z.strictObject({ type: z.literal("weights"), path: z.string().min(1).max(4096) }),
  z.strictObject({ type: z.literal("upstreams"), upstreams: z.array(upstreamSchema).min(1).max(64) }),
]);

export type Upstream = z.infer<typeof upstreamSchema>;
export type ModelSource = z.infer<typeof modelSourceSchema>;

/** The setting that holds the source of a model; absent or empty means the default. */
export const sourceSetting = (model: ModelId): string => `model.${model}`;

/** For people: never a key. */
export function describeSource(source: ModelSource): string {
  switch (source.type) {
    case "starter":
      return "starter";
    case "weights":
      return source.path;
    case "upstreams":
      return source.upstreams.map(({ url }) => url).join(", ");
  }
}
