/** The limits of the models, from the service. If it does not answer in time, the configuration has assumed limits. */
import * as z from "zod";
import { type ConnectModel, connectModel } from "../../connect/client.js";
import { modelIds } from "../../core/models.js";

const timeoutMs = 3_000;
const maxBytes = 1_000_000;

export type Limits = { models: ConnectModel[] } & ({ from: "service" } | { from: "assumed"; why: string });

const listing = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      context_length: z.number().int().positive().nullish(),
      max_output_tokens: z.number().int().positive().nullish(),
    }),
  ),
});

export async function fetchLimits(origin: string, key: string | null): Promise<Limits> {
  const assumed = (why: string): Limits => ({
    models: modelIds.map((id) => connectModel(id, null, null)),
    from: "assumed",
    why,
  });
  if (key === null) return assumed("it cannot be asked without a key");
  try {
    const response = await fetch(`${origin}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 401) return assumed("it does not accept this key");
    if (!response.ok) return assumed(`it answered ${response.status}`);
    const { data } = listing.parse(JSON.parse(await boundedText(response)));
    const models = modelIds.flatMap((id) => {
      const found = data.find((model) => model.id === id);
      return found ? [connectModel(id, found.context_length ?? null, found.max_output_tokens ?? null)] : [];
    });
    return models.length === 0 ? assumed("it does not list Sotto's models") : { models, from: "service" };
  } catch (error) {
    const isSlow = error instanceof Error && error.name === "TimeoutError";
    return assumed(isSlow ? `it did not answer within ${timeoutMs / 1000} s` : "it is unreachable");
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Typed as a stream of unknown.
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
