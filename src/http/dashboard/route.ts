/** A route of the dashboard's API: its address, who may use it, and what it does. */
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { Visit } from "./guard/visit.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

export type Access = "anyone" | "user" | "admin";

interface RouteOf<Who extends Access, Handle> {
  method: Method;
  /** Below /api. */
  path: string;
  access: Who;
  handle: Handle;
}

type OpenHandle = (visit: Visit) => Promise<unknown>;
type SignedInHandle = (visit: Visit, me: SessionRecord) => Promise<unknown>;

export type DashboardRoute = RouteOf<"anyone", OpenHandle> | RouteOf<"user" | "admin", SignedInHandle>;

export const anyone = (method: Method, path: string, handle: OpenHandle): DashboardRoute => ({
  method,
  path,
  access: "anyone",
  handle,
});

export const user = (method: Method, path: string, handle: SignedInHandle): DashboardRoute => ({
  method,
  path,
  access: "user",
  handle,
});

export const admin = (method: Method, path: string, handle: SignedInHandle): DashboardRoute => ({
  method,
  path,
  access: "admin",
  handle,
});
