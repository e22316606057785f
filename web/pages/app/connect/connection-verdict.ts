/** What the requests that arrived during a connection test say about the client's configuration. */
import type { ConnectClient } from "../../../../src/connect/client.js";
import { errorTable } from "../../../../src/core/errors.js";
import type { ArrivedRequest } from "../../../../src/core/keys/connection-tests.js";

export interface Tested {
  client: Pick<ConnectClient, "name" | "family">;
  /** Null: any of the account's. */
  key: string | null;
  model: string;
  /** As the client should have it. */
  baseUrl: string;
}

export type Verdict =
  { type: "waiting"; text: string } | { type: "connected"; text: string } | { type: "failed"; text: string };

/** An agent sends several requests together: one that fails counts more than one that succeeds beside it. */
const togetherMs = 5_000;

export function verdictOf(requests: readonly ArrivedRequest[], tested: Tested): Verdict {
  const { client, key } = tested;
  const own = requests.filter(
    (one) =>
      (client.family === undefined || one.client === client.family) &&
      (key === null || one.lastFour === null || key.endsWith(one.lastFour)),
  );
  const telling = own.filter((one) => one.isCompletion || isFailed(one));
  const last = telling.at(-1);
  if (last === undefined) return { type: "waiting", text: waitingText(requests, own, tested) };
  const failure = telling.findLast((one) => isFailed(one) && one.atMs >= last.atMs - togetherMs);
  if (failure !== undefined) return { type: "failed", text: problemOf(failure, tested) };
  const { firstTokenMs, durationMs } = last;
  const took = firstTokenMs === null ? shownMs(durationMs) : `${shownMs(firstTokenMs)} to the first token`;
  return { type: "connected", text: `Connected, ${took}.` };
}

const isFailed = ({ code, status }: ArrivedRequest): boolean => code !== "none" || status >= 400;

function waitingText(
  requests: readonly ArrivedRequest[],
  own: readonly ArrivedRequest[],
  { client, key }: Tested,
): string {
  const withKey = key === null ? "" : ` with the key …${key.slice(-4)}`;
  if (own.length > 0)
    return `${client.name} has asked for the models, and the key works. Send a message with it.`;
  const other = requests.at(-1);
  const wait = `Waiting for the first request of ${client.name}${withKey}. Start it and send a message.`;
  if (other === undefined) return wait;
  const isOtherKey = key !== null && other.lastFour !== null && !key.endsWith(other.lastFour);
  const seen = isOtherKey ? `with another key, …${other.lastFour ?? ""}` : `from another client`;
  return `${wait} A request ${seen} has arrived.`;
}

function problemOf(request: ArrivedRequest, tested: Tested): string {
  const { status, code } = request;
  const { name } = tested.client;
  const known = problems[code]?.(tested, request);
  if (known !== undefined) return known;
  if (code !== "none") return `${errorTable[code].status} ${code}: ${errorTable[code].message}`;
  if (status === 404) return wrongPath(tested);
  return status === 499 ? `${name} closed the connection before the reply.` : `${name} got status ${status}.`;
}

const wrongPath = ({ client, baseUrl }: Tested): string =>
  `404: ${client.name} reached this service at a wrong path. Check the base URL: ${baseUrl}`;

/** Where there is more to say than the error’s own text. */
const problems: Partial<Record<ArrivedRequest["code"], (tested: Tested, request: ArrivedRequest) => string>> =
  {
    invalid_api_key: ({ client }, { keyProblem }) =>
      `401: ${client.name} reached this service, but ${keyProblems[keyProblem ?? "unknown"]}`,
    unknown_url: wrongPath,
    model_not_found: ({ client, model }) =>
      `404: ${client.name} asked for a model that does not exist here. Set it to ${model}.`,
    context_length_exceeded: ({ client }) =>
      `400 context_length_exceeded: the prompt of ${client.name} is longer than the model’s context. Choose a model with a longer one.`,
    insufficient_permissions: ({ client, model }) =>
      `403: the key may not be used for this model or operation. Set ${client.name} to ${model}, or use another key.`,
    ip_not_allowed: ({ client }) =>
      `403: the key may not be used from the network of ${client.name}. Change the key’s allowed networks, or use another key.`,
  };

const keyProblems = {
  missing: "sent no key. Is the configuration in the place where it reads it?",
  malformed: "what it sent is not a key of Sotto. Was the placeholder replaced, and all of the key copied?",
  unknown: "its key is not valid: it may be revoked, expired, or of another service.",
};

const shownMs = (ms: number): string =>
  ms < 10_000 ? `${Math.max(1, Math.round(ms))} ms` : `${Math.round(ms / 1000)} s`;
