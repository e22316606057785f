/** What sampling has to give, computed from the logits, and whether what was sampled can have come from it. */
import type { Sampling } from "../../../src/core/chat/request.js";

export const plainSampling: Sampling = {
  temperature: 1,
  topP: 1,
  topPGiven: true,
  frequencyPenalty: 0,
  presencePenalty: 0,
  seed: 11,
  logitBias: [],
};

export function softmax(values: readonly number[]): number[] {
  const largest = Math.max(...values);
  const weights = values.map((value) => Math.exp(value - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** OpenAI's definition, token by token: biases and penalties, then the temperature, then the smallest set. */
export function distributionOf(
  logits: readonly number[],
  changes: Partial<Sampling>,
  reply: readonly number[] = [],
): number[] {
  const { temperature, topP, frequencyPenalty, presencePenalty, logitBias } = {
    ...plainSampling,
    ...changes,
  };
  const shaped = [...logits];
  for (const [token, bias] of logitBias) shaped[token] = (shaped[token] ?? 0) + bias;
  const counts = new Map<number, number>();
  for (const token of reply) counts.set(token, (counts.get(token) ?? 0) + 1);
  for (const [token, count] of counts) {
    shaped[token] = (shaped[token] ?? 0) - count * frequencyPenalty - presencePenalty;
  }
  if (temperature === 0) {
    const likeliest = shaped.indexOf(Math.max(...shaped));
    return shaped.map((_, token) => (token === likeliest ? 1 : 0));
  }
  const probabilities = softmax(shaped.map((logit) => logit / temperature));
  const order = probabilities
    .map((_, token) => token)
    .sort((a, b) => at(probabilities, b) - at(probabilities, a));
  const kept = new Set<number>();
  let sum = 0;
  for (const token of order) {
    kept.add(token);
    sum += at(probabilities, token);
    if (sum >= topP) break;
  }
  return probabilities.map((probability, token) => (kept.has(token) ? probability / sum : 0));
}

export const at = (values: readonly number[], index: number): number => values[index] ?? 0;

/**
 * How far the counts are from what is expected, in standard deviations of the chi-square distribution (Wilson
 * and Hilferty). Tokens that are expected less than five times count as one.
 */
export function surprise(tokens: readonly number[], expected: readonly number[]): number {
  const counts = new Array<number>(expected.length).fill(0);
  for (const token of tokens) counts[token] = at(counts, token) + 1;
  const bins: [seen: number, awaited: number][] = [];
  const rest: [number, number] = [0, 0];
  expected.forEach((probability, token) => {
    const awaited = probability * tokens.length;
    if (awaited >= 5) bins.push([at(counts, token), awaited]);
    else {
      rest[0] += at(counts, token);
      rest[1] += awaited;
    }
  });
  if (rest[1] > 0) bins.push(rest);
  const chiSquare = bins.reduce((sum, [seen, awaited]) => sum + (seen - awaited) ** 2 / awaited, 0);
  const freedom = bins.length - 1;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(chiSquare / freedom) - (1 - spread)) / Math.sqrt(spread);
}
