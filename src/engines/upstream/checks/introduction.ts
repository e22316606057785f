/**
 * Who answers at an address. That something answers a question about its health says little: any web server has a
 * page or a 404 to give. An engine has a list of models, in the one shape that all of them share; one that has none
 * at all must be given a name for the model, and take chats: a chat without messages is refused there, and nowhere
 * else.
 */
import type { Answer, Connection } from "../connection.js";
import { causeOf, httpCause } from "../failures.js";
import { askFacts, type EngineFacts } from "./facts.js";
import { isObject, parseObject, type JsonObject } from "../json-value.js";
import type { Profile } from "../profiles.js";

/** Why an address is not used, with a code for the operator. */
export interface NotAnEngine {
  type:
    /** It wants another key. */
    | "refuses-key"
    /** It answers, but not as an engine does. */
    | "stranger"
    /** It says that it cannot at present: it loads its weights, or has failed. */
    | "unwell"
    | "silent";
  cause: string;
}

export type Introduction = { type: "engine"; facts: EngineFacts } | NotAnEngine;

export type Health = { type: "well" | "has-no-such-page" } | NotAnEngine;

/** A short question, at the path that the profile names for it. */
export async function askHealth(
  connection: Connection,
  profile: Profile,
  timeoutMs: number,
): Promise<Health> {
  const answer = await connection.ask(profile.healthPath, timeoutMs).catch(silent);
  if ("type" in answer) return answer;
  if (refusesKey(answer)) return because("refuses-key", answer);
  if (isMissing(answer)) return { type: "has-no-such-page" };
  return answer.status < 300 ? { type: "well" } : because("unwell", answer);
}

export async function askIntroduction(
  connection: Connection,
  profile: Profile,
  name: string | undefined,
  timeoutMs: number,
): Promise<Introduction> {
  const answer = await connection.ask("/v1/models", timeoutMs).catch(silent);
  if ("type" in answer) return answer;
  if (refusesKey(answer)) return because("refuses-key", answer);
  const introduced = async (listed: readonly JsonObject[]): Promise<Introduction> => ({
    type: "engine",
    facts: await askFacts(connection, profile, listed, name, timeoutMs),
  });
  if (answer.status === 200) {
    const listed = modelsIn(answer.text);
    return listed === null ? stranger : introduced(listed);
  }
  if (!isMissing(answer)) {
    return because(answer.status >= 500 || answer.status === 429 ? "unwell" : "stranger", answer);
  }
  if (name === undefined) return stranger;
  const refused = await connection
    .ask("/v1/chat/completions", timeoutMs, undefined, { model: name })
    .catch(silent);
  if ("type" in refused) return refused;
  if (refusesKey(refused)) return because("refuses-key", refused);
  return refused.status === 400 || refused.status === 422 ? introduced([]) : stranger;
}

/** Null when it is no list of models. */
function modelsIn(text: string): JsonObject[] | null {
  const data = parseObject(text)?.data;
  if (!Array.isArray(data)) return null;
  const models: unknown[] = data;
  const listed = models.filter(isObject).filter(({ id }) => typeof id === "string");
  return listed.length === models.length ? listed : null;
}

const stranger: NotAnEngine = { type: "stranger", cause: "NOT_AN_ENGINE" };
const silent = (error: unknown): NotAnEngine => ({ type: "silent", cause: causeOf(error) });
const because = (type: NotAnEngine["type"], { status }: Answer): NotAnEngine => ({
  type,
  cause: httpCause(status),
});

/** A sentence for the operator. */
export function whyUnusable(host: string, { type, cause }: NotAnEngine): string {
  switch (type) {
    case "silent":
      return `${host} does not answer (${cause}).`;
    case "unwell":
      return `${host} says that it cannot answer now (${cause}).`;
    case "refuses-key":
      return `${host} refuses the key (${cause}).`;
    case "stranger":
      return `${host} answers, but not as an engine does: it has no list of models at /v1/models (${cause}).`;
  }
}

const refusesKey = ({ status }: Answer): boolean => status === 401 || status === 403;

/** 501 is what llama-server says of pages that it was not started with. */
const isMissing = ({ status }: Answer): boolean => status === 404 || status === 405 || status === 501;
