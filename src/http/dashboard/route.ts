/** A route of the dashboard's API: its address, who may use it, and what it does. */
import type { Person } from "../../core/audit.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { Visit } from "./guard/visit.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

interface RouteOptions {
  /** For what a stolen session must not do: it must have been proved in the last minutes who is signed in. */
  confirm?: boolean;
  /** Why the operator's API does not have it, of a route for admins; see `operator/operator-api.ts`. */
  sessionOnly?: string;
  /** Also for an account that must add a second factor before anything else. */
  beforeEnrolment?: boolean;
  /** In a team: also from outside of the networks that the team allows. */
  fromAnywhere?: boolean;
}

/** One that resolves to nothing is answered `{}`. */
type Handle<Caller extends unknown[]> = (visit: Visit, ...caller: Caller) => Promise<unknown>;

interface RouteOf<Access, Caller extends unknown[]> extends RouteOptions {
  method: Method;
  /** Below /api. */
  path: string;
  access: Access;
  handle: Handle<Caller>;
}

export type DashboardRoute =
  RouteOf<"anyone", []> | RouteOf<"user", [me: SessionRecord]> | RouteOf<"admin", [actor: Person]>;

export type Access = DashboardRoute["access"];

const routeFor =
  <Who extends Access, Caller extends unknown[]>(access: Who) =>
  (
    method: Method,
    path: string,
    ...rest: [handle: Handle<Caller>] | [options: RouteOptions, handle: Handle<Caller>]
  ): RouteOf<Who, Caller> => {
    const [options, handle] = rest.length === 1 ? [{}, rest[0]] : rest;
    return { method, path, access, handle, ...options };
  };

export const anyone = routeFor<"anyone", []>("anyone");
export const user = routeFor<"user", [me: SessionRecord]>("user");
export const admin = routeFor<"admin", [actor: Person]>("admin");

export const confirmed = { confirm: true };
