/** What is made of the numbers that the model gives for an input. */

/** The first so many of them, or all, scaled to length 1. A vector without any length stays as it is. */
export function unitVector(values: Float64Array, dimensions = values.length): Float32Array {
  const kept = values.subarray(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(kept, (value) => (length > 0 ? value / length : value));
}

/** Between 0 and 1: the probability that the document answers the query. */
export function scoreOf([value = 0]: Float64Array, isProbability: boolean): number {
  return isProbability ? value : 1 / (1 + Math.exp(-value));
}
