/**
 * Who answers at an address. That something answers a question about its health says little: any web server has a
 * page or a 404 to give. An engine has a list of models, in the one shape that all of them share; one that has none
 * at all must be given a name for the model, and take chats: a chat without messages is refused there, and nowhere
 * else.
 */
import type { Answer, Connection } from "../connection.js";
import { askFacts, type EngineFacts } from "./facts.js";
import { isObject, parseObject, type JsonObject } from "../json-value.js";
import type { Profile } from "../profiles.js";

export type Introduction =
  | { type: "engine"; facts: EngineFacts }
  /** It wants another key. */
  | { type: "refuses-key" }
  /** It answers, but not as an engine does. */
  | { type: "stranger" }
  /** It says that it cannot at present: it loads its weights, or has failed. */
  | { type: "unwell" }
  | { type: "silent" };

export type Health = "well" | "has-no-such-page" | Exclude<Introduction["type"], "engine" | "stranger">;

/** A short question, at the path that the profile names for it. */
export async function askHealth(
  connection: Connection,
  profile: Profile,
  timeoutMs: number,
): Promise<Health> {
  const answer = await connection.ask(profile.healthPath, timeoutMs).catch(() => null);
  if (answer === null) return "silent";
  if (refusesKey(answer)) return "refuses-key";
  if (isMissing(answer)) return "has-no-such-page";
  return answer.status < 300 ? "well" : "unwell";
}

export async function askIntroduction(
  connection: Connection,
  profile: Profile,
  name: string | undefined,
  timeoutMs: number,
): Promise<Introduction> {
  const answer = await connection.ask("/v1/models", timeoutMs).catch(() => null);
  if (answer === null) return { type: "silent" };
  if (refusesKey(answer)) return { type: "refuses-key" };
  const introduced = async (listed: readonly JsonObject[]): Promise<Introduction> => ({
    type: "engine",
    facts: await askFacts(connection, profile, listed, name, timeoutMs),
  });
  if (answer.status === 200) {
    const listed = modelsIn(answer.text);
    return listed === null ? { type: "stranger" } : introduced(listed);
  }
  if (!isMissing(answer)) {
    return { type: answer.status >= 500 || answer.status === 429 ? "unwell" : "stranger" };
  }
  if (name === undefined) return { type: "stranger" };
  const refused = await connection
    .ask("/v1/chat/completions", timeoutMs, undefined, { model: name })
    .catch(() => null);
  if (refused === null) return { type: "silent" };
  if (refusesKey(refused)) return { type: "refuses-key" };
  return refused.status === 400 || refused.status === 422 ? introduced([]) : { type: "stranger" };
}

/** Null when it is no list of models. */
function modelsIn(text: string): JsonObject[] | null {
  const data = parseObject(text)?.data;
  if (!Array.isArray(data)) return null;
  const models: unknown[] = data;
  const listed = models.filter(isObject).filter(({ id }) => typeof id === "string");
  return listed.length === models.length ? listed : null;
}

const refusesKey = ({ status }: Answer): boolean => status === 401 || status === 403;

/** 501 is what llama-server says of pages that it was not started with. */
const isMissing = ({ status }: Answer): boolean => status === 404 || status === 405 || status === 501;
