/**
 * What anyone may check: the signed statement, the log of all statements, and proofs about it. Pages of other sites
 * may read it too, since nobody should have to check a service by the service's own page.
 */
import type { FastifyReply, RouteOptions } from "fastify";
import { ServiceError } from "../../core/errors.js";
import type { Statements } from "../../core/proof/statements.js";
import { mostEntries, proofPaths } from "../../protocol/proof/proof-paths.js";
import { queryOf } from "../connection/paths.js";
import type { HttpParts } from "../parts.js";

type Answer = (statements: Statements, query: URLSearchParams) => Promise<unknown>;
type ProofRoute = Pick<RouteOptions, "url" | "handler"> & { method: "GET" };

const freshMs = 1_000;

export const proofRoutes = (parts: Pick<HttpParts, "statements">): ProofRoute[] => {
  const route = (url: string, answer: Answer): ProofRoute => ({
    method: "GET",
    url,
    handler: async (request, reply) => {
      forAnyPage(reply);
      const statements = parts.statements?.() ?? "none";
      if (statements === "none") throw new ServiceError("overloaded", { message: cannotSign });
      if (statements === "starting") return notYet();
      // Another replica may have appended what the caller has seen there.
      await statements.log.refreshIfOlderThan(freshMs);
      return answer(statements, queryOf(request));
    },
  });
  return [
    route(proofPaths.statement, async (statements) => (await statements.document()) ?? notYet()),
    route(proofPaths.checkpoint, async (statements) => statements.checkpoint() ?? notYet()),
    route(proofPaths.log, listEntries),
    route(proofPaths.inclusion, proveInclusion),
    route(proofPaths.consistency, proveConsistency),
  ];
};

const listEntries: Answer = async ({ log }, query) => {
  const from = integer(query, "from", { least: 0, most: log.head.size, otherwise: 0 });
  const limit = integer(query, "limit", { least: 1, most: mostEntries, otherwise: mostEntries });
  const bodies = await log.bodies(from, limit);
  // What was appended a moment ago is listed with the next checkpoint.
  const entries = bodies.slice(0, log.head.size - from).map((body) => JSON.parse(body) as unknown);
  return { from, size: log.head.size, entries };
};

const proveInclusion: Answer = async ({ log }, query) => {
  const size = integer(query, "size", { least: 1, most: log.head.size, otherwise: log.head.size });
  const index = integer(query, "index", { least: 0, most: size - 1 });
  return { index, ...log.headAt(size), proof: log.inclusionProof(index, size) };
};

const proveConsistency: Answer = async ({ log }, query) => {
  const second = integer(query, "second", { least: 0, most: log.head.size, otherwise: log.head.size });
  const first = integer(query, "first", { least: 0, most: second });
  return { first: log.headAt(first), second: log.headAt(second), proof: log.consistencyProof(first, second) };
};

const cannotSign =
  "This server cannot sign statements: its secrets were encrypted under another service key. Its operator has been told.";

function notYet(): never {
  throw new ServiceError("overloaded", {
    message: "The statement is not ready yet. Try again in a few seconds.",
  });
}

function forAnyPage(reply: FastifyReply): void {
  reply.headers({
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
  });
}

interface Bounds {
  least: number;
  most: number;
  /** Where it is absent; undefined where it is required. */
  otherwise?: number;
}

function integer(query: URLSearchParams, name: string, { least, most, otherwise }: Bounds): number {
  const text = query.get(name);
  if (text === null && otherwise !== undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text ?? "") ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new ServiceError("invalid_value", {
    param: name,
    message: `'${name}' must be an integer from ${least} to ${most}.`,
  });
}
