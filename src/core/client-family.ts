/**
 * The kind of program that sent a request, from its `User-Agent`. A closed set: the header itself is content of the
 * caller's and is kept nowhere.
 */
const families = [
  ["claude-code", /^claude-cli\//i],
  ["codex", /^codex[ _/-]/i],
  ["opencode", /^opencode\//i],
  ["ai-sdk", /\bai-sdk\//i],
  ["langchain-js", /^langchainjs/i],
  ["openai-node", /^(?:Async)?(?:Azure)?OpenAI\/JS/i],
  ["openai-python", /^(?:Async)?(?:Azure)?OpenAI\/Python/i],
  ["openai-go", /^OpenAI\/Go/i],
  ["anthropic", /^(?:Async)?Anthropic\//i],
  ["curl", /^curl\//i],
] as const;

export type ClientFamily = (typeof families)[number][0] | "other";

export const clientFamilyOf = (userAgent: string | undefined): ClientFamily =>
  families.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0] ?? "other";
