import { formatCount, formatMs, formatRate } from "../../../units.ts";
import type { ReplyTurn } from "./conversation.ts";

/** For shorter times a rate would be meaningless. */
const shortestMs = 50;

/** The line under a reply: which model, what it used, how fast it was, why it ended. */
export function factsOf({ model, state, reason, tokens, firstTokenMs, totalMs }: ReplyTurn): string[] {
  const facts: string[] = [model];
  if (tokens !== null)
    facts.push(`${formatCount(tokens.prompt)} tokens in, ${formatCount(tokens.completion)} out`);
  if (firstTokenMs !== null) facts.push(`first token after ${formatMs(firstTokenMs)}`);
  const writingMs = firstTokenMs === null || totalMs === null ? 0 : totalMs - firstTokenMs;
  // The first token is there when the measured time begins.
  if (tokens !== null && tokens.completion > 1 && writingMs > shortestMs)
    facts.push(`${formatRate(((tokens.completion - 1) * 1_000) / writingMs)} tokens/s`);
  if (totalMs !== null) facts.push(`${formatMs(totalMs)} in total`);
  if (reason === "length") facts.push("cut off at max. tokens");
  if (state === "stopped") facts.push("stopped by you");
  return facts;
}
