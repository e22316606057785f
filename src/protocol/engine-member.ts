/** What an operator writes about an engine of a model: a server on the network, or weights on this machine. */
import * as z from "zod";
import { upstreamProfiles } from "../core/model-views.js";

/** Of what an operator may say about an engine, wherever they say it. */
export const engineBounds = {
  contextTokens: { min: 128, max: 100_000_000 },
  /** Above 0. */
  weight: { max: 1_000 },
} as const;

const milliseconds = z.number().int().min(1).max(3_600_000).optional();
const weight = z.number().positive().max(engineBounds.weight.max).optional();

export const upstreamSchema = z.strictObject({
  /** With or without `/v1` at its end. */
  url: z.url({ protocol: /^https?$/, error: "must have a 'url' such as http://gpu-1:8000/v1" }),
  profile: z.enum(upstreamProfiles, { error: `must have a 'profile': ${upstreamProfiles.join(", ")}` }),
  /** The engine's name for the model; by default the only one it has, or ours where it has that. */
  name: z.string().min(1).max(200).optional(),
  /** Sent as a bearer token. */
  key: z.string().min(1).max(1_000).optional(),
  /** Its part of the work of a pool. */
  weight,
  /** The operator accepts that an engine without isolation shares its prompt cache between accounts. */
  acceptSharedCache: z.boolean().optional(),
  /** The operator accepts that the engine logs, stores or passes on requests. */
  acceptLogging: z.boolean().optional(),
  /** The engine may be outside this machine and private networks. */
  allowPublic: z.boolean().optional(),
  maxConcurrent: z.number().int().min(1).max(10_000).optional(),
  /** Where the engine does not report it. */
  contextTokens: z
    .number()
    .int()
    .min(engineBounds.contextTokens.min)
    .max(engineBounds.contextTokens.max)
    .optional(),
  /** Whether its model reads images; `auto`, as without it: as the engine reports. */
  vision: z
    .union([z.boolean(), z.literal("auto")], { error: "must have true, false or auto as 'vision'" })
    .optional(),
  timeouts: z
    .strictObject({
      connectMs: milliseconds,
      firstTokenMs: milliseconds,
      nextTokenMs: milliseconds,
      /** Counting a prompt; after it the count is estimated. */
      countMs: milliseconds,
      /** One question about the engine's health. */
      healthMs: milliseconds,
      /** Between two such questions. */
      healthIntervalMs: milliseconds,
    })
    .optional(),
});

/** A GGUF file, or `starter`, run by this process beside the others of its pool. */
export const embeddedSchema = z.strictObject({ weights: z.string().min(1).max(4_096), weight });

/** Decided by its fields, so that an error is about the kind that was meant. */
export const engineMemberSchema = z.record(z.string(), z.unknown()).transform((value, context) => {
  const parsed = ("weights" in value ? embeddedSchema : upstreamSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const { message, path } = issue;
    // Names that are not known keep their kind: something similar may have been meant.
    if (issue.code === "unrecognized_keys")
      context.addIssue({ code: issue.code, keys: issue.keys, message, path });
    else context.addIssue({ code: "custom", message, path });
  }
  return z.NEVER;
});

export type UpstreamSource = z.infer<typeof upstreamSchema>;
export type EngineMember = z.infer<typeof engineMemberSchema>;
