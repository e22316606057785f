/** One request to the dashboard's API, with what its handlers ask of it. Input is parsed here, once. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { deviceLabelOf } from "../../../core/sign-in/device-label.js";
import type { SessionMethod, SessionOrigin, SessionRecord } from "../../../core/sign-in/ports.js";
import type { Sessions } from "../../../core/sign-in/sessions.js";
import { DashboardError } from "../../../core/dashboard-error.js";
import { readJson } from "../../bodies/body.js";
import { clientNetwork } from "../../connection/client-network.js";
import { pathParam, queryOf } from "../../connection/paths.js";
import { Cookie } from "./cookies.js";

/** No form of the dashboard comes near it. */
const bodyLimitBytes = 64 * 1024;

export class Visit {
  /** Who is signed in here. */
  readonly session: Cookie;
  /** Says which browser this is, see `known-devices.ts`. Outlives sessions. */
  readonly knownDevice: Cookie;
  /** Whose password was right, while the second factor is missing; see `second-step.ts`. */
  readonly step: Cookie;
  /** A sign-in with an identity provider that is under way. The provider's redirect back must carry it, so it is Lax. */
  readonly round: Cookie;

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    private readonly sessions: Sessions,
  ) {
    this.session = new Cookie(request, reply, "sotto_session", "Lax");
    this.knownDevice = new Cookie(request, reply, "sotto_device", "Strict");
    this.step = new Cookie(request, reply, "sotto_step", "Strict");
    this.round = new Cookie(request, reply, "sotto_sign_in", "Lax");
  }

  /** Fields that the schema does not name are dropped. */
  async body<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> {
    return parsed(schema, await readJson(this.request, this.reply, bodyLimitBytes));
  }

  query<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    return parsed(schema, Object.fromEntries(queryOf(this.request)));
  }

  /** The `:id` of the path. */
  get id(): string {
    return pathParam(this.request, "id");
  }

  /** The `:team` of the path. */
  get team(): string {
    return pathParam(this.request, "team");
  }

  /** What attempts are counted against. */
  get network(): string {
    return clientNetwork(this.request.ip);
  }

  get device(): string | null {
    return this.knownDevice.value;
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
    this.session.set(token, expiresAt);
    if (this.step.value !== null) this.step.clear();
    return (await this.sessions.find(token)) ?? signedOut();
  }

  /** Whose session the browser has; null for none. */
  async whoIsHere(): Promise<SessionRecord | null> {
    const { value } = this.session;
    return value === null ? null : this.sessions.find(value);
  }

  /** Asks again who is signed in, where that was proved too long ago. */
  requireConfirmed({ session }: SessionRecord): void {
    if (this.sessions.isConfirmed(session)) return;
    throw new DashboardError("confirmation_required", "Confirm that it is you, then try again.");
  }

  /** For links that are shown to whoever asks, in whose browser the address is right. */
  get baseUrl(): string {
    return `${this.request.protocol}://${this.request.host}`;
  }

  /** Sends what the handler returns as a file. */
  attach(file: string, contentType: string): void {
    this.reply.header("content-type", `${contentType}; charset=utf-8`);
    this.reply.header("content-disposition", `attachment; filename="${file}"`);
  }

  async signOut(): Promise<void> {
    await this.endSession();
    this.session.clear();
  }

  private async endSession(): Promise<void> {
    const { value } = this.session;
    if (value !== null) await this.sessions.end(value);
  }
}

export function signedOut(): never {
  throw new DashboardError("signed_out", "You are signed out. Sign in to continue.");
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
