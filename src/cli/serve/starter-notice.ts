/** Printed at the start while the starter is in use: what it is, and how to get a better model. */
import { readingSpeed } from "../../models/choice/best-model.js";
import { formatBytes, speedText } from "../../models/sizes.js";
import type { ModelSuggestion } from "../../protocol/dashboard/engines.js";

export function starterNotice({ best, command }: ModelSuggestion): string {
  const demonstration = "The starter is a demonstration model.";
  if (best === null) return `${demonstration} Others to choose from: ${command}`;
  const what = `${best.title} (${formatBytes(best.bytes)}, ${speedText(best.tokensPerSecond)})`;
  if (best.isSlow)
    return `${demonstration} No other reaches ${readingSpeed} tokens a second on this machine; the fastest is ${what}: ${command}`;
  return `${demonstration} ${what} fits this machine: ${command}`;
}
