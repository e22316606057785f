/** The settings of each model, and of other names for them. */
import * as z from "zod";
import { defaultAliases } from "../core/model-aliases.js";
import type { ModelId } from "../core/models.js";
import { field, integer, modelAliases, number, optional, upstreamList, yesOrNo } from "./kinds.js";

export const modelFields = (id: ModelId) => {
  const env = (name: string) => [`SOTTO_MODELS_${id.toUpperCase()}_${name}`] as const;
  return {
    weights: field({
      env: env("WEIGHTS"),
      schema: optional(z.string().min(1, "must be a GGUF file, or 'starter'")),
      default: undefined,
      doc: `GGUF file that answers for \`${id}\`, or \`starter\` for the weights that come with Sotto. Default: what \`sotto models use\` chose, or else the starter; this setting takes precedence.`,
    }),
    upstreams: field({
      env: env("UPSTREAMS"),
      schema: upstreamList,
      default: [],
      doc: "Engines on the network that answer instead of the weights, a list: see [upstreams.md](upstreams.md). Default: none.",
      secret: true,
    }),
    description: field({
      env: env("DESCRIPTION"),
      schema: optional(
        z
          .string()
          .max(200, "must have at most 200 characters")
          .regex(/^[^\p{Cc}]*$/u, "must be one line of text"),
      ),
      default: undefined,
      doc: `One line about \`${id}\` for people who choose a model, shown on the pages and in \`GET /v1/models\`. Default: none.`,
    }),
    systemPrompt: field({
      env: env("SYSTEM_PROMPT"),
      schema: z.string().max(100_000).optional(),
      default: undefined,
      doc: "System message used when a request has none; counted in `usage`. Empty for none. Default: none.",
    }),
    maxTokens: field({
      env: env("MAX_TOKENS"),
      schema: optional(integer(1, 2_147_483_647)),
      default: undefined,
      doc: "Most tokens to generate when a request has no `max_tokens`. Default: 256 for the starter, 4096 for everything else.",
    }),
    repeatPenalty: field({
      env: env("REPEAT_PENALTY"),
      schema: optional(number(0.5, 2)),
      default: undefined,
      doc: "Repetition penalty: divides the probability of tokens that the reply already has; `1` is none. Not used for requests with penalties of their own. Default: what the starter needs, none for other weights.",
    }),
    minP: field({
      env: env("MIN_P"),
      schema: optional(number(0, 1)),
      default: undefined,
      doc: "Drops tokens less probable than this share of the most probable one, unless the request sets `top_p`. `0` drops none. Default: what the starter needs, 0.05 for other weights.",
    }),
  };
};

export const aliasFields = {
  modelAliases: field({
    env: ["SOTTO_MODEL_ALIASES"],
    schema: modelAliases,
    default: defaultAliases,
    doc: "Other names for the models, such as `gpt-*=omega,gpt-4o-mini=lambda`; `*` stands for any characters. Exact names come before patterns, then the first match decides ([more](models.md#aliases)). Empty for none.",
  }),
  listAliases: field({
    env: ["SOTTO_LIST_ALIASES"],
    schema: yesOrNo,
    default: false,
    doc: "Whether `GET /v1/models` also lists the aliases. Patterns are never listed.",
  }),
};
