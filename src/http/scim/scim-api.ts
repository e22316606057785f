/**
 * SCIM 2.0 under /scim/v2, by which an organisation's directory creates, suspends and deletes accounts, and says who is
 * in which team. For keys with the scope `scim`; cookies are ignored.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../core/audit.js";
import { DashboardError } from "../../core/dashboard-error.js";
import { ServiceError } from "../../core/errors.js";
import type { ScimPage } from "../../core/scim/ports.js";
import type { ScimGroups } from "../../core/scim/scim-groups.js";
import type { ScimUsers } from "../../core/scim/scim-users.js";
import { mostResults, resourceTypes, schemas, serviceProviderConfig } from "../../protocol/scim/discovery.js";
import { groupFilterOf, userFilterOf } from "../../protocol/scim/filter.js";
import { readGroup, readGroupPatch, readUser, readUserPatch } from "../../protocol/scim/requests.js";
import { groupResource, listResponse, userResource, type Resource } from "../../protocol/scim/resources.js";
import { readBytes } from "../bodies/body.js";
import { parseJson } from "../bodies/json.js";
import { pathParam, queryOf } from "../connection/paths.js";
import { actorOf, scopedHooks } from "../operator/operator-api.js";
import type { HttpParts } from "../parts.js";
import { answerScimError, sendScim } from "./answers.js";

export interface ScimParts {
  http: HttpParts;
  users: ScimUsers;
  groups: ScimGroups;
  /** What it is given to do happens together, or not at all if it rejects. */
  atomically: <T>(work: (inside: Pick<ScimParts, "users" | "groups">) => Promise<T>) => Promise<T>;
  /** Where the service is reached, without a slash at the end. */
  publicUrl: () => string;
}

const prefix = "/scim/v2";
/** Several times what a group with all the members that a team may have takes. */
const bodyLimitBytes = 1024 * 1024;

export function registerScim(server: FastifyInstance, parts: ScimParts): void {
  void server.register(
    async (scope) => {
      scope.setErrorHandler(answerScimError(parts.http.log));
      scope.setNotFoundHandler(() => {
        throw new DashboardError("not_found", "There is no such address.");
      });
      for (const hook of scopedHooks(parts.http, () => "scim")) scope.addHook("onRequest", hook);
      addDiscovery(scope, parts);
      addUsers(scope, parts);
      addGroups(scope, parts);
    },
    { prefix },
  );
}

function addDiscovery(scope: FastifyInstance, parts: ScimParts): void {
  const base = () => parts.publicUrl() + prefix;
  scope.get("/ServiceProviderConfig", async (_request, reply) =>
    sendScim(reply, 200, serviceProviderConfig(base())),
  );
  for (const [path, list] of [
    ["/ResourceTypes", resourceTypes],
    ["/Schemas", schemas],
  ] as const) {
    scope.get(path, async (_request, reply) => {
      const all = list(base());
      return sendScim(reply, 200, listResponse(all, all.length, 1));
    });
    scope.get(`${path}/:id`, async (request, reply) => {
      const found = list(base()).find(({ id }) => id === idOf(request));
      if (found === undefined) throw new DashboardError("not_found", "There is no such resource.");
      return sendScim(reply, 200, found);
    });
  }
}

interface Service<Found, Change> {
  require: (id: string) => Promise<Found>;
  create: (actor: Actor, change: Change) => Promise<Found>;
  change: (actor: Actor, id: string, change: Change) => Promise<Found>;
  remove: (actor: Actor, id: string) => Promise<void>;
}

/** What is below /Users or /Groups. */
interface Collection<Found, Change> {
  service: Service<Found, Change>;
  /** Does what it is given together, or none of it. */
  atomically: (work: (service: Service<Found, Change>) => Promise<Found>) => Promise<Found>;
  list: (request: FastifyRequest, page: ScimPage) => Promise<{ found: Found[]; total: number }>;
  read: (body: unknown) => Change;
  readPatch: (body: unknown) => Change;
  view: (found: Found, request: FastifyRequest) => Resource;
}

function addCollection<Found, Change>(
  scope: FastifyInstance,
  path: string,
  { service, atomically, list, read, readPatch, view }: Collection<Found, Change>,
): void {
  scope.get(path, async (request, reply) => {
    const page = pageOf(queryOf(request));
    const { found, total } = await list(request, page);
    const resources = found.map((one) => view(one, request));
    return sendScim(reply, 200, listResponse(resources, total, page.offset + 1));
  });
  scope.post(path, async (request, reply) => {
    const asked = read(await bodyOf(request));
    const created = await atomically((inside) => inside.create(actorOf(request), asked));
    const resource = view(created, request);
    return sendScim(reply.header("location", resource.meta.location), 201, resource);
  });
  scope.get(`${path}/:id`, async (request, reply) =>
    sendScim(reply, 200, view(await service.require(idOf(request)), request)),
  );
  const changing =
    (readChange: (body: unknown) => Change) => async (request: FastifyRequest, reply: FastifyReply) => {
      const asked = readChange(await bodyOf(request));
      const changed = await atomically((inside) => inside.change(actorOf(request), idOf(request), asked));
      return sendScim(reply, 200, view(changed, request));
    };
  scope.put(`${path}/:id`, changing(read));
  scope.patch(`${path}/:id`, changing(readPatch));
  scope.delete(`${path}/:id`, async (request, reply) => {
    await service.remove(actorOf(request), idOf(request));
    return reply.code(204).send();
  });
}

function addUsers(scope: FastifyInstance, { users, atomically, publicUrl }: ScimParts): void {
  addCollection(scope, "/Users", {
    service: users,
    atomically: (work) => atomically((inside) => work(inside.users)),
    list: async (request, page) => {
      const { users: found, total } = await users.list(userFilterOf(filterOf(request)), page);
      return { found, total };
    },
    read: readUser,
    readPatch: readUserPatch,
    view: (user) => userResource(user, publicUrl() + prefix),
  });
}

function addGroups(scope: FastifyInstance, { groups, atomically, publicUrl }: ScimParts): void {
  addCollection(scope, "/Groups", {
    service: groups,
    atomically: (work) => atomically((inside) => work(inside.groups)),
    list: async (request, page) => {
      const options = { withMembers: wantsMembers(request) };
      const { groups: found, total } = await groups.list(groupFilterOf(filterOf(request)), page, options);
      return { found, total };
    },
    read: readGroup,
    readPatch: readGroupPatch,
    view: (group, request) =>
      groupResource(group, publicUrl() + prefix, { withMembers: wantsMembers(request) }),
  });
}

const idOf = (request: FastifyRequest): string => pathParam(request, "id");

const filterOf = (request: FastifyRequest): string | undefined => queryOf(request).get("filter") ?? undefined;

/** What is out of bounds is moved into them, as RFC 7644 wants it. */
function pageOf(query: URLSearchParams): ScimPage {
  const whole = (name: string, otherwise: number): number => {
    const text = query.get(name) ?? "";
    return /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
  };
  const limit = Math.min(Math.max(whole("count", mostResults), 0), mostResults);
  return { offset: Math.max(whole("startIndex", 1), 1) - 1, limit };
}

/** Entra ID leaves them out where it only wants to know whether a group exists. */
const wantsMembers = (request: FastifyRequest): boolean =>
  !(queryOf(request).get("excludedAttributes") ?? "").toLowerCase().split(",").includes("members");

async function bodyOf(request: FastifyRequest): Promise<unknown> {
  if (!/^application\/(scim\+)?json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new ServiceError("unsupported_content_type", {
      message: "Send the body as application/scim+json.",
    });
  }
  return parseJson(await readBytes(request.raw, bodyLimitBytes, request.exchange.signal));
}
