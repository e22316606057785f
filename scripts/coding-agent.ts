/**
 * What the real coding agents are tested with: a scripted model with 64k tokens of context, configured as `sotto
 * connect` does it, and a session of ten turns, each of which edits a file. Connect must say that the agent works
 * with it, and that it does not work with the starter.
 */
import { strict as assert } from "node:assert";
import { fetchLimits } from "../src/cli/connect/limits.js";
import { type ConnectClient, type ConnectTarget, modelOf } from "../src/connect/client.js";
import { findClient } from "../src/connect/clients.js";
import { fileText } from "../src/connect/file-text.js";
import { fitOf } from "../src/connect/fit.js";
import type { Generation } from "../src/core/serving/engine-port.js";
import type { Script } from "../test/support/engines/fake-engine.js";
import { startServer, type TestServer } from "../test/support/processes/server.js";

const contextTokens = 65_536;
/** TinyLlama's, which the starter is. */
const starterContextTokens = 2_048;
export const turns = Array.from({ length: 10 }, (_, index) => index + 1);

export interface AgentTest {
  server: TestServer;
  client: ConnectClient;
  target: ConnectTarget;
  /** The client's own file, as Connect writes it. */
  file: string;
}

export async function startAgentTest(id: string): Promise<AgentTest> {
  const server = await startServer({
    bodyLimitBytes: 4 * 1024 * 1024,
    engine: { contextTokens, defaultMaxTokens: 4_096, countPrompt: tokensOf },
  });
  const client = findClient(id);
  assert.ok(client !== undefined);
  const target = await targetOf(server);
  assert.equal(fitOf(client, modelOf(target)).level, "works");
  server.engine.options.contextTokens = starterContextTokens;
  const onStarter = fitOf(client, modelOf(await targetOf(server)));
  assert.equal(onStarter.level, "fails");
  assert.match(
    onStarter.text,
    /needs at least \d+k tokens of context; omega has 2,048 here: it will not work/,
  );
  server.engine.options.contextTokens = contextTokens;
  const [file] = client.configure(target).flatMap((part) => (part.type === "file" ? [part] : []));
  assert.ok(file !== undefined);
  return { server, client, target, file: fileText(file.format, file.settings) };
}

/** With the limits that the service reports. */
async function targetOf({ url, apiKey }: TestServer): Promise<ConnectTarget> {
  const { models } = await fetchLimits(url, apiKey);
  return { origin: url, key: apiKey, model: "omega", models, stream: false };
}

/** Prompts and tools of these clients have 4.3 to 4.7 characters to a token of o200k_base. */
function tokensOf({ messages, tooling }: Generation): number {
  const text = messages.map(({ content, toolCalls }) => [content, toolCalls ?? []]);
  return Math.ceil(JSON.stringify([text, tooling?.tools ?? []]).length / 4.4);
}

/** Where the client has outgrown what Connect says of it, its numbers are to be measured again. */
export function requireNeeds({ needs, name }: ConnectClient, first: Generation | undefined): string {
  assert.ok(needs !== undefined && first !== undefined);
  const measured = tokensOf(first);
  const isAsKnown = Math.abs(measured / needs.firstRequestTokens - 1) < 0.25;
  assert.ok(isAsKnown, `The first request of ${name} has about ${measured} tokens: see src/connect/fit.ts.`);
  assert.ok(
    measured < 0.75 * needs.leastContextTokens,
    `${name} needs a larger context: ${measured} tokens.`,
  );
  return `its first request about ${measured.toLocaleString("en")} tokens`;
}

/** The number of the turn that the user asked for last. */
export function turnOf({ messages }: Generation): number {
  const asked = messages.flatMap(({ role, content }) =>
    role === "user" ? [/turn (\d+):/.exec(content)] : [],
  );
  return Number(asked.findLast((match) => match !== null)?.[1] ?? 0);
}

export const questionOf = (turn: number): string => `turn ${turn}: append line ${turn} to notes.md`;
export const answerOf = (turn: number): string => `Line ${turn} is there.`;
/** What the file holds after a turn. */
export const linesAfter = (turn: number): string =>
  ["line 0", ...turns.slice(0, turn).map((one) => `line ${one}`), ""].join("\n");

export const hasResult = ({ messages }: Generation, callId: string): boolean =>
  messages.some(({ role, toolCallId }) => role === "tool" && toolCallId === callId);

export function calling(before: string, call: string, id: string, input: object): Script {
  const text = JSON.stringify(input);
  return {
    fragments: [
      { reasoning: "I should look." },
      before,
      { call, id },
      { arguments: text.slice(0, 9) },
      { arguments: text.slice(9) },
    ],
    finishReason: "tool_calls",
  };
}

/** Every request to the route was answered, and none was too long. */
export function requireAllAnswered({ logLines }: TestServer, route: string): void {
  const refused = logLines.filter((line) => line["route"] === route && line["status"] !== 200);
  assert.deepEqual(refused, []);
}
