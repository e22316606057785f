/** What a start says while the starter answers: what it is, and the way to a better model. */
import { gigabytes } from "../../models/files/sizes.js";
import type { ModelSuggestion } from "../../protocol/dashboard-engines.js";

export function starterNotice({ best, command }: ModelSuggestion): string {
  const demonstration = "The starter is a demonstration model.";
  if (best === null) return `${demonstration} Others to choose from: ${command}`;
  return `${demonstration} This machine can hold ${best.title} (${gigabytes(best.bytes)}): ${command}`;
}
