/** Whether a version as engines write it (`0.10.1.dev3+gabc`, `v0.5.9`) comes before another. Unknown forms do not. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (a === null || b === null) return false;
  for (let index = 0; index < 3; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): number[] | null {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version);
  if (match === null) return null;
  const [, major, minor, patch = "0"] = match;
  return [Number(major), Number(minor), Number(patch)];
}
