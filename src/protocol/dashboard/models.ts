/**
 * The part of the dashboard's API that is about what answers for the models, for admins: see `api.ts` for what
 * holds for all of it. Keys of engines and tokens go in and never come out.
 */
import * as z from "zod";
import { shownBound } from "../../core/bounds.js";
import { upstreamProfiles } from "../../core/model-views.js";
import { engineBounds } from "../engine-member.js";
import { lineOr, oneModel } from "./api.js";

// GET /api/admin/models → ModelsNow: polled while something is under way
/** GET /api/admin/models/choices → ModelChoicesView: for that model, beside what serves the others */
export const choicesQuery = z.object({ model: oneModel.optional() });

// ------------------------------------------------------------------------------------------------- changes

const yesOrNo = (words: string) => z.boolean(words).optional();

const { min: fewestTokens, max: mostTokens } = engineBounds.contextTokens;
const contextWords = `Enter a whole number of tokens from ${fewestTokens} to ${shownBound(mostTokens)}.`;
const context = z
  .number(contextWords)
  .int(contextWords)
  .min(fewestTokens, contextWords)
  .max(mostTokens, contextWords)
  .optional();

/** POST /api/admin/models/:id/weights → {}: a file in the models folder, or a path on the server */
export const useWeightsBody = z.object({
  file: lineOr("Enter a file in the models folder, or its whole path.", 4096),
  /** Without the check that it fits into memory, for machines whose GPU holds it. */
  force: yesOrNo("Choose whether to skip the memory check."),
  /** Of each request; without it as much as memory allows. */
  contextTokens: context,
  /** The same kind of file; null for none. Without it, the file that serves already keeps the one that it has. */
  draft: lineOr("Enter the draft model's file, or null for none.", 4096).nullable().optional(),
});

/** POST /api/admin/models/:id/engine → {} */
export const engineBody = z.object({
  url: lineOr("Enter the engine's address.", 2000).refine(isWebAddress, {
    error: "Enter an address such as http://gpu-1:8000/v1.",
  }),
  profile: z.enum(upstreamProfiles, `Choose one of ${upstreamProfiles.join(", ")}.`),
  name: lineOr("Enter the model's name on the engine.", 200).optional(),
  key: lineOr("Enter the engine's key.", 1000).optional(),
  contextTokens: context,
  acceptSharedCache: yesOrNo("Choose whether to accept a shared prompt cache."),
  allowPublic: yesOrNo("Choose whether to allow a public address."),
  /** Without it as the engine reports. */
  vision: yesOrNo("Choose whether its model reads images."),
});
// POST /api/admin/models/preflight → EnginePreflight: looks at an engine and changes nothing
// POST /api/admin/models/:id/default → {}    POST /api/admin/models/:id/roll-back → {}

// --------------------------------------------------------------------------------------------------- pulls

/** POST /api/admin/pulls → PullView */
export const pullBody = z.object({
  reference: lineOr("Enter hf:owner/repo or the https address of a .gguf file.", 2000),
  sha256: z
    .string("Enter the SHA-256 of the file.")
    .regex(/^[0-9a-fA-F]{64}$/, "A SHA-256 has 64 hexadecimal digits.")
    .optional(),
  model: oneModel.optional(),
  /** Switches the model over to it as soon as it is here. */
  use: yesOrNo("Choose whether to use it once it is here."),
  contextTokens: context,
});
// POST /api/admin/pulls/:id/pause | /resume → PullView    DELETE /api/admin/pulls/:id → {}: cancels, or clears

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/^[^/]*\/\/[^/]*@/.test(text);
}
