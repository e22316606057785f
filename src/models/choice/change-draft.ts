/** What users should know when a model is served by something else: the text of a draft for the changelog. */
import type { ModelId } from "../../core/models.js";
import { formatTokenRate } from "../sizes.js";

/** What served the model, or serves it now. */
export interface Serving {
  title: string;
  /** 0 where it is not known. */
  contextTokens: number;
  tokensPerSecond: number | null;
}

export function changeDraft(model: ModelId, before: Serving, now: Serving): { title: string; body: string } {
  const rows = [
    ["Model", before.title, now.title],
    ["Context", tokens(before.contextTokens), tokens(now.contextTokens)],
    ["Speed of one reply", rate(before.tokensPerSecond), rate(now.tokensPerSecond)],
  ].filter(([, from, to]) => from !== unknown || to !== unknown);
  const lines = rows.map(([name = "", from = "", to = ""]) => `- **${name}:** ${to} (before: ${from})`);
  const title =
    before.title === now.title
      ? `${model} has a context of ${tokens(now.contextTokens)}`
      : `${model} now runs on ${now.title}`;
  return {
    title,
    body: `The model behind \`${model}\` has changed. Its name and the API stay the same.\n\n${lines.join("\n")}`,
  };
}

const unknown = "unknown";
const tokens = (count: number): string => (count > 0 ? `${count.toLocaleString("en-GB")} tokens` : unknown);
const rate = (perSecond: number | null): string =>
  perSecond === null ? unknown : `about ${formatTokenRate(perSecond)} tokens a second`;
