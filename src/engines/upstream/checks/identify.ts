/**
 * Identifies the engine at an address. A successful health check says little: any web server has a page or a 404 to
 * give. An engine has a list of models, in the one shape that all of them share. One without such a list must be
 * given a name for the model, and must reject a chat without messages as invalid, which no other server does.
 */
import type { Connection, EngineResponse } from "../connection.js";
import { causeOf, httpCause } from "../failures.js";
import { readFacts, type EngineFacts } from "./facts.js";
import { isObject, type JsonObject } from "../../../protocol/read-json.js";
import { parseObject } from "../json-value.js";

const reasons = {
  unreachable: "does not answer",
  // It loads its weights, or has failed.
  unhealthy: "reports that it cannot answer now",
  "key-rejected": "refuses the key",
  "not-an-engine": "answers, but not as an engine does: it has no list of models at /v1/models",
};

/** Why an address is not used, with a code for the operator. */
export interface Unusable {
  type: keyof typeof reasons;
  cause: string;
}

export type Identity = { type: "engine"; facts: EngineFacts } | Unusable;

export type Health = { type: "healthy" | "no-health-endpoint" } | Unusable;

export async function checkHealth(connection: Connection): Promise<Health> {
  const response = await connection.request(connection.profile.healthPath).catch(unreachable);
  if ("type" in response) return response;
  if (rejectsKey(response)) return unusable("key-rejected", response);
  if (isMissing(response)) return { type: "no-health-endpoint" };
  return response.status < 300 ? { type: "healthy" } : unusable("unhealthy", response);
}

export async function identifyEngine(connection: Connection): Promise<Identity> {
  const { name } = connection.source;
  const response = await connection.request("/v1/models").catch(unreachable);
  if ("type" in response) return response;
  if (rejectsKey(response)) return unusable("key-rejected", response);
  const engine = async (listed: readonly JsonObject[]): Promise<Identity> => ({
    type: "engine",
    facts: await readFacts(connection, listed),
  });
  if (response.status === 200) {
    const listed = modelsIn(response.text);
    return listed === null ? notAnEngine : engine(listed);
  }
  if (!isMissing(response)) {
    const isTemporary = response.status >= 500 || response.status === 429;
    return unusable(isTemporary ? "unhealthy" : "not-an-engine", response);
  }
  if (name === undefined) return notAnEngine;
  const body = { model: name };
  const chat = await connection.request("/v1/chat/completions", { body }).catch(unreachable);
  if ("type" in chat) return chat;
  if (rejectsKey(chat)) return unusable("key-rejected", chat);
  return chat.status === 400 || chat.status === 422 ? engine([]) : notAnEngine;
}

/** Null when it is no list of models. */
function modelsIn(text: string): JsonObject[] | null {
  const data = parseObject(text)?.data;
  if (!Array.isArray(data)) return null;
  const models: unknown[] = data;
  const listed = models.filter(isObject).filter(({ id }) => typeof id === "string");
  return listed.length === models.length ? listed : null;
}

const notAnEngine: Unusable = { type: "not-an-engine", cause: "NOT_AN_ENGINE" };
const unreachable = (error: unknown): Unusable => ({ type: "unreachable", cause: causeOf(error) });
const unusable = (type: Unusable["type"], { status }: EngineResponse): Unusable => ({
  type,
  cause: httpCause(status),
});

/** A sentence for the operator. */
export const whyUnusable = (host: string, { type, cause }: Unusable): string =>
  `${host} ${reasons[type]} (${cause}).`;

const rejectsKey = ({ status }: EngineResponse): boolean => status === 401 || status === 403;

/** llama-server answers 501 for endpoints that it was not started with. */
const isMissing = ({ status }: EngineResponse): boolean => status === 404 || status === 405 || status === 501;
