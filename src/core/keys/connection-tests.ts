/**
 * Tests of a client's connection: someone looks at the Connect page, starts the client, and sees how its requests
 * ended.
 *
 * Requests are noted only for an account whose test is open, for two minutes at most, in memory, and without anything
 * that they contain. A request whose key is wrong belongs to nobody: it is noted for the tests that were begun from
 * the same network address, which is kept as a salted hash.
 *
 * Where there are several replicas, each tells the others of the tests that begin and of the requests it notes, so
 * that the page may ask any of them. While they cannot be told (Redis is unreachable), a replica knows of its own
 * requests only.
 */
import { hash, randomUUID } from "node:crypto";
import type { ClientFamily } from "../client-family.js";
import type { Clock } from "../clock.js";
import type { ErrorCode } from "../errors.js";

export const testMs = 120_000;
const mostTests = 1_000;
const mostRequests = 20;

/** What was wrong with the key of a request that got 401. */
export type KeyProblem = "missing" | "malformed" | "unknown";

export interface ArrivedRequest {
  atMs: number;
  client: ClientFamily;
  /** Whether it asked for a reply, and not for the list of models or the like. */
  isCompletion: boolean;
  status: number;
  code: ErrorCode | "none";
  /** Of the key; null where it is not one of this service. */
  lastFour: string | null;
  keyProblem: KeyProblem | null;
  durationMs: number;
  firstTokenMs: number | null;
}

interface BegunTest {
  accountId: string;
  salt: string;
  network: string;
}

export type TestNote =
  ({ type: "began" } & BegunTest) | { type: "arrived"; accountId: string; request: ArrivedRequest };

/** Never waits and never fails; nothing is sent twice. */
export interface OtherReplicas {
  tell(note: TestNote): void;
  onNote(listener: (note: TestNote) => void): void;
}

interface OpenTest extends BegunTest {
  endsMs: number;
  requests: ArrivedRequest[];
}

export class ConnectionTests {
  /** By account, the oldest first. */
  readonly #open = new Map<string, OpenTest>();

  constructor(
    private readonly clock: Clock,
    private readonly others: OtherReplicas | null = null,
  ) {
    others?.onNote((note) => {
      if (note.type === "began") this.#begin(note);
      else this.#add(note.accountId, note.request);
    });
  }

  /** Forgets what an earlier test of the account noted. */
  begin(accountId: string, network: string): void {
    const salt = randomUUID();
    const test = { accountId, salt, network: hashed(salt, network) };
    this.#begin(test);
    this.others?.tell({ type: "began", ...test });
  }

  /** What has arrived since the account's test began, the oldest first; null where none is open. */
  read(accountId: string): { leftMs: number; requests: readonly ArrivedRequest[] } | null {
    this.#endOld();
    const test = this.#open.get(accountId);
    return test === undefined
      ? null
      : { leftMs: test.endsMs - this.clock.monotonicMs(), requests: test.requests };
  }

  /** Whether there is any use in noting requests. */
  get isAwaited(): boolean {
    if (this.#open.size > 0) this.#endOld();
    return this.#open.size > 0;
  }

  /** Null where it is not known whose request it was: then its network decides. */
  note(accountId: string | null, network: string, request: ArrivedRequest): void {
    const accounts = accountId === null ? this.#accountsAt(network) : [accountId];
    for (const account of accounts) {
      if (!this.#add(account, request)) continue;
      this.others?.tell({ type: "arrived", accountId: account, request });
    }
  }

  #begin(test: BegunTest): void {
    this.#open.delete(test.accountId);
    this.#open.set(test.accountId, { ...test, endsMs: this.clock.monotonicMs() + testMs, requests: [] });
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostTests && oldest !== undefined) this.#open.delete(oldest);
  }

  #add(accountId: string, request: ArrivedRequest): boolean {
    const test = this.#open.get(accountId);
    if (test === undefined) return false;
    test.requests = [...test.requests, request].slice(-mostRequests);
    return true;
  }

  #accountsAt(network: string): string[] {
    return [...this.#open.values()]
      .filter((test) => hashed(test.salt, network) === test.network)
      .map(({ accountId }) => accountId);
  }

  #endOld(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [accountId, { endsMs }] of this.#open) if (nowMs >= endsMs) this.#open.delete(accountId);
  }
}

const hashed = (salt: string, network: string): string => hash("sha256", `${salt} ${network}`, "base64url");
