/** One request to the dashboard's API, with what its handlers ask of it. Input is parsed here, once. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { deviceLabelOf } from "../../../core/sign-in/device-label.js";
import type { SessionMethod, SessionOrigin, SessionRecord } from "../../../core/sign-in/ports.js";
import type { Sessions } from "../../../core/sign-in/sessions.js";
import { DashboardError } from "../../../core/dashboard-error.js";
import { readJson } from "../../bodies/body.js";
import { clientNetwork } from "../../connection/client-network.js";
import { clearCookie, readCookie, writeCookie, type CookieKind } from "./cookies.js";

/** Who is signed in here. */
const sessionCookie: CookieKind = { name: "sotto_session", sameSite: "Lax" };

/** Says which browser this is, see `known-devices.ts`. Outlives sessions. */
const deviceCookie: CookieKind = { name: "sotto_device", sameSite: "Strict" };

/** Whose password was right, while the second factor is missing; see `second-step.ts`. */
const stepCookie: CookieKind = { name: "sotto_step", sameSite: "Strict" };
/** A sign-in with an identity provider that is under way. The provider's redirect back must carry it, so it is Lax. */
const roundCookie: CookieKind = { name: "sotto_sign_in", sameSite: "Lax" };

/** No form of the dashboard comes near it. */
const bodyLimitBytes = 64 * 1024;

export class Visit {
  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    private readonly sessions: Sessions,
  ) {}

  /** Fields that the schema does not name are dropped. */
  async body<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> {
    return parsed(schema, await readJson(this.request, this.reply, bodyLimitBytes));
  }

  /** From the address as it was sent: what is routed has no query. */
  query<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    const [, search = ""] = this.request.originalUrl.split("?", 2);
    return parsed(schema, Object.fromEntries(new URLSearchParams(search)));
  }

  /** The `:id` of the path. */
  get id(): string {
    return this.param("id");
  }

  /** Another part of the path that varies. */
  param(name: "id" | "team" | "member"): string {
    const { params } = this.request;
    const values: ReadonlyMap<string, unknown> = new Map(Object.entries(params ?? {}));
    const value = values.get(name);
    if (typeof value !== "string") throw new Error(`This route has no :${name}.`);
    return value;
  }

  /** What attempts are counted against. */
  get network(): string {
    return clientNetwork(this.request.ip);
  }

  get sessionToken(): string | null {
    return readCookie(this.request, sessionCookie);
  }

  get device(): string | null {
    return readCookie(this.request, deviceCookie);
  }

  /** Starts a session in the browser that asks; the one it had is over. */
  async signIn(
    accountId: string,
    method: SessionMethod,
    origin: SessionOrigin | null,
  ): Promise<SessionRecord> {
    await this.endSession();
    const device = deviceLabelOf(this.request.headers["user-agent"]);
    const { token, expiresAt } = await this.sessions.open(accountId, { method, device, origin });
    writeCookie(this.request, this.reply, sessionCookie, { value: token, expiresAt });
    if (this.stepToken !== null) clearCookie(this.request, this.reply, stepCookie);
    const me = await this.sessions.find(token);
    if (me === null) throw new DashboardError("signed_out", "You are signed out. Sign in to continue.");
    return me;
  }

  get stepToken(): string | null {
    return readCookie(this.request, stepCookie);
  }

  rememberStep(value: string, expiresAt: Date): void {
    writeCookie(this.request, this.reply, stepCookie, { value, expiresAt });
  }

  get roundToken(): string | null {
    return readCookie(this.request, roundCookie);
  }

  rememberRound(value: string, expiresAt: Date): void {
    writeCookie(this.request, this.reply, roundCookie, { value, expiresAt });
  }

  forgetRound(): void {
    clearCookie(this.request, this.reply, roundCookie);
  }

  rememberDevice(value: string, expiresAt: Date): void {
    writeCookie(this.request, this.reply, deviceCookie, { value, expiresAt });
  }

  forgetDevice(): void {
    clearCookie(this.request, this.reply, deviceCookie);
  }

  /** Sends what the handler returns as a file. */
  attach(file: string, contentType: string): void {
    this.reply.header("content-type", `${contentType}; charset=utf-8`);
    this.reply.header("content-disposition", `attachment; filename="${file}"`);
  }

  async signOut(): Promise<void> {
    await this.endSession();
    clearCookie(this.request, this.reply, sessionCookie);
  }

  private async endSession(): Promise<void> {
    const token = this.sessionToken;
    if (token !== null) await this.sessions.end(token);
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  // The input that people see, in a group of them by both names ("limits.tokensPerDay"), not a place in a list. Without
  // one the request is no form of ours.
  const path = issue?.path ?? [];
  const listAt = path.findIndex((name) => typeof name !== "string");
  const field = path.slice(0, listAt === -1 ? path.length : listAt).join(".");
  if (field === "") throw new DashboardError("bad_request", "The request is not a JSON object.");
  throw new DashboardError("bad_request", issue?.message ?? "This is not valid.", { field });
}
