/** The value of a 16-bit float. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const largest = 65504;
const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/** The nearest 16-bit float, the even one of two that are as near. What is too large becomes the largest. */
export function toHalf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.min(Math.abs(value), largest);
  single[0] = size;
  const exponent = Math.max(-14, ((singleBits[0] ?? 0) >>> 23) - 127);
  // In units of the last place, from 1024 for normal numbers. Where rounding to a single float already
  // carried into the exponent, there are 1024 of the larger units instead of 2048: the same number.
  const units = roundToEven(size * (unitsPerOne[exponent + 14] ?? 0));
  return sign | (units + ((exponent + 14) << 10));
}

/** For the exponents from -14 to 15. */
const unitsPerOne = Float64Array.from({ length: 30 }, (_, index) => 2 ** (24 - index));

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}
