/**
 * Who is signed in. A session is a random token in a cookie; the store has its hash. It ends when it was not
 * used for a while, when its longest time is over, when its account is suspended, or when it is ended here.
 * Every request asks the store, so every process sees the end of a session immediately.
 *
 * When it was last used is written at most once a minute. If that write fails, on a full disk say, the
 * session goes on and merely counts as idle for longer.
 *
 * A session remembers when it was last proved who is signed in. What a session that someone else got hold of must not
 * do is refused once that is ten minutes ago.
 */
import type { Session, SessionMethod, SessionOrigin, SessionRecord, SessionStore } from "./ports.js";
import type { Account } from "../entities.js";
import type { Clock } from "../clock.js";
import { newHashedToken, tokenHash } from "./secret-token.js";

const touchEveryMs = 60_000;
const confirmedForMs = 10 * 60_000;
/** Of one account, shown to its owner. */
const mostListed = 100;

export interface NewSession {
  method: SessionMethod;
  device?: string | null;
  /** For one that an identity provider began. */
  origin?: SessionOrigin | null;
}

/** Names a session to its owner: the beginning of a hash, from which the token cannot be found. */
export const sessionId = ({ hash }: Pick<Session, "hash">): string =>
  Buffer.from(hash).toString("hex").slice(0, 16);

export class Sessions {
  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly expiry: { idleMs: number; absoluteMs: number },
  ) {}

  /** The token is for the cookie, and kept nowhere else. */
  async open(
    accountId: string,
    { method, device = null, origin }: NewSession,
  ): Promise<{ token: string; expiresAt: Date }> {
    const { token, hash } = newHashedToken();
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + this.expiry.absoluteMs);
    const times = { createdAt, confirmedAt: createdAt, lastSeenAt: createdAt, expiresAt };
    await this.store.create({ hash, accountId, method, device, ...times }, origin);
    return { token, expiresAt };
  }

  /** Whether it was proved a short while ago who is signed in. */
  isConfirmed({ confirmedAt }: Session): boolean {
    return this.clock.now().getTime() - confirmedAt.getTime() < confirmedForMs;
  }

  async noteConfirmed({ hash }: Session): Promise<void> {
    await this.store.noteConfirmed(hash, this.clock.now());
  }

  /** Null for a token that is not valid now. */
  async find(token: string): Promise<SessionRecord | null> {
    const hash = tokenHash(token);
    const record = hash === null ? null : await this.findByHash(hash);
    if (record !== null) await this.#touch(record, this.clock.now());
    return record;
  }

  /** The same without counting as use. */
  async findByHash(hash: Uint8Array): Promise<SessionRecord | null> {
    const record = await this.store.find(hash);
    return record !== null && this.#isLive(record, this.clock.now()) ? record : null;
  }

  /** When it ends unless it is used again. */
  endOf({ session }: Pick<SessionRecord, "session">): Date {
    const idleEndMs = session.lastSeenAt.getTime() + this.expiry.idleMs;
    return new Date(Math.min(session.expiresAt.getTime(), idleEndMs));
  }

  /** The sessions of an account that are valid now, the one that was used last first. */
  async listLive(account: Account): Promise<Session[]> {
    const now = this.clock.now();
    const sessions = await this.store.list(account.id, mostListed);
    return sessions.filter((session) => this.#isLive({ session, account }, now));
  }

  async end(token: string): Promise<void> {
    const hash = tokenHash(token);
    if (hash !== null) await this.store.end(hash);
  }

  /** False where the account has no such session. */
  async endOne(account: Account, id: string): Promise<boolean> {
    const session = (await this.listLive(account)).find((one) => sessionId(one) === id);
    if (session !== undefined) await this.store.end(session.hash);
    return session !== undefined;
  }

  /** All but `keep`. */
  async endAll(accountId: string, keep: Session | null = null): Promise<void> {
    await this.store.endAll(accountId, keep?.hash ?? null);
  }

  async prune(): Promise<void> {
    const now = this.clock.now();
    await this.store.prune(now, new Date(now.getTime() - this.expiry.idleMs));
  }

  #isLive(record: Pick<SessionRecord, "session" | "account">, now: Date): boolean {
    const { suspendedAt } = record.account;
    if (suspendedAt !== null && suspendedAt <= now) return false;
    return this.endOf(record) > now;
  }

  async #touch({ session }: SessionRecord, now: Date): Promise<void> {
    if (now.getTime() - session.lastSeenAt.getTime() < touchEveryMs) return;
    await this.store.touch(session.hash, now).catch(() => undefined);
  }
}
