/**
 * The limits of the models, from the service: with a key those that apply to it, without one the context that everyone
 * may read. If the service does not answer in time, the configuration has assumed limits.
 */
import * as z from "zod";
import { allOf } from "../../adapters/download.js";
import { type ConnectModel, connectModel } from "../../connect/client.js";
import { chatModelIds } from "../../core/models.js";

const timeoutMs = 3_000;
const maxBytes = 1_000_000;

export type Limits = { models: ConnectModel[] } & ({ from: "service" } | { from: "assumed"; why: string });

const listing = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      context_length: z.number().int().positive().nullish(),
      max_output_tokens: z.number().int().positive().nullish(),
      capabilities: z.object({ tools: z.boolean().optional() }).optional(),
    }),
  ),
});

const publicListing = z.object({
  models: z.array(
    z.object({
      id: z.string(),
      contextTokens: z.number().int().positive().nullable(),
      tools: z.boolean().optional(),
    }),
  ),
});

export async function fetchLimits(origin: string, key: string | null): Promise<Limits> {
  const assumed = (why: string): Limits => ({
    models: chatModelIds.map((id) => connectModel(id, null, null)),
    from: "assumed",
    why,
  });
  try {
    const response = await fetch(`${origin}${key === null ? "/api/models" : "/v1/models"}`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 401) return assumed("does not accept this key");
    if (!response.ok) return assumed(`answered ${response.status}`);
    const bytes = await allOf(response.body ?? [], maxBytes, () => new Error("too long"));
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    const data =
      key === null
        ? publicListing.parse(body).models.map(({ id, contextTokens, tools }) => ({
            id,
            context_length: contextTokens,
            max_output_tokens: null,
            capabilities: { tools },
          }))
        : listing.parse(body).data;
    const models = chatModelIds.flatMap((id) => {
      const found = data.find((model) => model.id === id);
      if (found === undefined) return [];
      const { context_length = null, max_output_tokens = null, capabilities } = found;
      return [connectModel(id, context_length, max_output_tokens, capabilities?.tools)];
    });
    return models.length === 0 ? assumed("does not list Sotto's models") : { models, from: "service" };
  } catch (error) {
    const isSlow = error instanceof Error && error.name === "TimeoutError";
    return assumed(isSlow ? `did not answer within ${timeoutMs / 1000} s` : "is unreachable");
  }
}
