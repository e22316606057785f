/** Numbers for people: sizes and speeds. Sizes in powers of ten as disks are sold and pages show them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 1)} GB`;
}

export const speedText = (tokensPerSecond: number | null): string =>
  tokensPerSecond === null
    ? "speed not measured yet"
    : `about ${formatTokenRate(tokensPerSecond)} tokens a second here`;

export const formatTokenRate = (tokensPerSecond: number): string =>
  tokensPerSecond < 10 ? String(Math.round(tokensPerSecond * 10) / 10) : String(Math.round(tokensPerSecond));
