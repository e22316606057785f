/** Printed at the start while the starter is in use: what it is, and how to get a better model. */
import { formatBytes } from "../../models/sizes.js";
import type { ModelSuggestion } from "../../protocol/dashboard/engines.js";

export function starterNotice({ best, command }: ModelSuggestion): string {
  const demonstration = "The starter is a demonstration model.";
  if (best === null) return `${demonstration} Others to choose from: ${command}`;
  return `${demonstration} ${best.title} (${formatBytes(best.bytes)}) fits this machine: ${command}`;
}
