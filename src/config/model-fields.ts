/** What each model has: its source and how it answers. */
import * as z from "zod";
import { type ChatModelId, chatModelIds, type ModelId } from "../core/models.js";
import { field, integer, number, optionalField, upstreamList } from "./kinds.js";

const modelEnv = (id: ModelId) => (name: string) => [`SOTTO_MODELS_${id.toUpperCase()}_${name}`] as const;

/** What every model has, whatever it computes. */
export const sourceFields = (id: ModelId, weightsDoc: string) => {
  const env = modelEnv(id);
  return {
    weights: optionalField(env("WEIGHTS"), {
      schema: z.string().min(1, "must be a GGUF file, or 'starter'"),
      doc: weightsDoc,
    }),
    upstreams: field(env("UPSTREAMS"), {
      schema: upstreamList,
      default: [],
      doc: "Engines on the network that answer instead of the weights, a list: see [upstreams.md](upstreams.md). Default: none.",
      secret: true,
    }),
    description: optionalField(env("DESCRIPTION"), {
      schema: z
        .string()
        .max(200, "must have at most 200 characters")
        .regex(/^[^\p{Cc}]*$/u, "must be one line of text"),
      doc: `One line about \`${id}\` for people who choose a model, shown on the pages and in \`GET /v1/models\`. Default: none.`,
    }),
  };
};

export const chatModelFields = (id: ChatModelId) => {
  const env = modelEnv(id);
  return {
    ...sourceFields(
      id,
      `GGUF file that answers for \`${id}\`, or \`starter\` for the weights that come with Sotto. Default: what \`sotto models use\` chose, or else the starter; this setting takes precedence.`,
    ),
    draft: optionalField(env("DRAFT"), {
      schema: z.string().min(1, "must be a GGUF file"),
      doc: `GGUF file of a smaller model with the same vocabulary as the file in \`SOTTO_MODELS_${id.toUpperCase()}_WEIGHTS\`, loaded beside it to guess its tokens ([more](models.md#draft-models)). Default: none.`,
    }),
    fallback: optionalField(env("FALLBACK"), {
      schema: z.enum(chatModelIds, { error: `must be one of the models: ${chatModelIds.join(", ")}` }),
      doc: `Model that answers for \`${id}\` while its engine is down or its queue is full, for keys that may use it; never in the middle of a reply ([more](models.md#substitutes)). Default: none.`,
    }),
    systemPrompt: field(env("SYSTEM_PROMPT"), {
      schema: z.string().max(100_000).optional(),
      default: undefined,
      doc: "System message used when a request has none; counted in `usage`. Empty for none. Default: none.",
    }),
    maxTokens: optionalField(env("MAX_TOKENS"), {
      schema: integer(1, 2_147_483_647),
      doc: "Most tokens to generate when a request has no `max_tokens`. Default: 256 for the starter, 4096 for everything else.",
    }),
    repeatPenalty: optionalField(env("REPEAT_PENALTY"), {
      schema: number(0.5, 2),
      doc: "Repetition penalty: divides the probability of tokens that the reply already has; `1` is none. Not used for requests with penalties of their own. Default: what the starter needs, none for other weights.",
    }),
    minP: optionalField(env("MIN_P"), {
      schema: number(0, 1),
      doc: "Drops tokens less probable than this share of the most probable one, unless the request sets `top_p`. `0` drops none. Default: what the starter needs, 0.05 for other weights.",
    }),
    images: optionalField(env("IMAGES"), {
      schema: z.enum(["refuse", "omit"], { error: "must be refuse or omit" }),
      doc: `What happens to images in a request to \`${id}\` while it reads text only: \`refuse\` or \`omit\`. Default: \`SOTTO_IMAGES\`.`,
    }),
  };
};
