/** A route of the dashboard's API: its address, who may use it, and what it does. */
import type { Actor } from "../../core/audit.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { Visit } from "./guard/visit.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

interface RouteOf<Access, Caller extends unknown[]> {
  method: Method;
  /** Below /api. */
  path: string;
  access: Access;
  /** One that resolves to nothing is answered `{}`. */
  handle: (visit: Visit, ...caller: Caller) => Promise<unknown>;
}

/** What an admin does is recorded under their name. */
export type DashboardRoute =
  RouteOf<"anyone", []> | RouteOf<"user", [me: SessionRecord]> | RouteOf<"admin", [actor: Actor]>;

export type Access = DashboardRoute["access"];

const routeFor =
  <Who extends Access, Caller extends unknown[]>(access: Who) =>
  (method: Method, path: string, handle: RouteOf<Who, Caller>["handle"]): RouteOf<Who, Caller> => ({
    method,
    path,
    access,
    handle,
  });

export const anyone = routeFor<"anyone", []>("anyone");
export const user = routeFor<"user", [me: SessionRecord]>("user");
export const admin = routeFor<"admin", [actor: Actor]>("admin");
