/** What the operator is told about usage that could not be written when the server ended. */
import type { UsageLeft } from "../core/usage/usage-recorder.js";
import { usageSpillPath } from "../store/usage-spill.js";

export function usageNotice(
  { outcome, requests, promptTokens, completionTokens }: UsageLeft,
  dataDir: string,
): string {
  const counts = `${requests} requests, ${promptTokens} prompt tokens, ${completionTokens} completion tokens`;
  if (outcome === "lost") {
    return `Usage was LOST: ${counts}. The database could not be reached, and ${usageSpillPath(dataDir)} could not be written.`;
  }
  return `The database could not be reached: usage is not in it yet (${counts}). It was saved in ${usageSpillPath(dataDir)} and is counted at the next start on this data directory.`;
}
