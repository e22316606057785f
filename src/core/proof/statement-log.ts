/**
 * The append-only log of statements, as this process has read it: hashes of all entries, and the statements that may
 * still be valid. Replicas share the rows; an append names its index, and one of two that name the same wins. The
 * other reads what was appended and decides again.
 *
 * The last head is also remembered outside the database. When the rows no longer lead to it, the database was restored
 * from an old backup, and the log says so in an entry of its own.
 */
import type { Clock } from "../clock.js";
import { canonicalJson } from "./canonical-json.js";
import { leafHash, MerkleTree } from "./merkle.js";
import type { StatementLogStore } from "./ports.js";
import type { Entry, LogHead, Signed, Statement } from "./statement.js";

const rowsAtOnce = 200;
/** Each takes a conflict with another process. */
const appendAttempts = 20;

/** Keeps the last head, outside the database. Neither method rejects. */
export interface HeadMemory {
  read(): LogHead | null;
  write(head: LogHead): void;
}

export interface LoggedStatement {
  index: number;
  signed: Signed<Statement>;
}

export interface Loss {
  previous: LogHead;
  lost: number | null;
}

export class StatementLog {
  #tree = new MerkleTree();
  #statements: LoggedStatement[] = [];
  /** Heads that restored entries name. */
  #reported: LogHead[] = [];
  #lastRestored: Date | null = null;
  #key: string | null = null;
  #readMs: number | null = null;
  #remembered: LogHead | null = null;
  /** Serializes reads and appends. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: StatementLogStore,
    private readonly memory: HeadMemory,
    private readonly clock: Clock,
  ) {}

  get head(): LogHead {
    return this.headAt(this.#tree.size);
  }

  headAt(size: number): LogHead {
    return { size, root: hex(this.#tree.root(size)) };
  }

  /** The key that signs after the last entry; null in an empty log. */
  get key(): string | null {
    return this.#key;
  }

  /** Those that have not expired, oldest first. */
  get statements(): readonly LoggedStatement[] {
    return this.#statements;
  }

  /** When the last loss of entries was noted in the log; null without one. */
  get lastRestored(): Date | null {
    return this.#lastRestored;
  }

  inclusionProof = (index: number, size: number): string[] => this.#tree.inclusionProof(index, size).map(hex);

  consistencyProof = (first: number, second: number): string[] =>
    this.#tree.consistencyProof(first, second).map(hex);

  /** Entries as they are stored. */
  async bodies(from: number, limit: number): Promise<string[]> {
    return (await this.store.read(from, limit)).map(({ body }) => body);
  }

  /** Reads what was appended since, here or by another replica. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Bounds what many callers cost the database. Rejects as the store does. */
  async refreshIfOlderThan(ms: number): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (this.#readMs !== null && nowMs - this.#readMs < ms) return;
    this.#readMs = nowMs;
    await this.refresh();
  }

  /** What was lost of the log and is not in an entry yet; null where nothing was. */
  findLoss(): Loss | null {
    const previous = this.#remembered ?? this.memory.read();
    if (previous === null) return null;
    const { size } = this.#tree;
    const isKept = previous.size <= size && this.headAt(previous.size).root === previous.root;
    const isReported = this.#reported.some((head) => head.size >= previous.size);
    if (isKept || isReported) return null;
    return { previous, lost: previous.size > size ? previous.size - size : null };
  }

  /** From now on the present head is the one to be found again. */
  remember(): void {
    const { head } = this;
    if (this.#remembered?.size === head.size && this.#remembered.root === head.root) return;
    this.#remembered = head;
    this.memory.write(head);
  }

  /** `make` is called again whenever another process was faster, and returns null once there is nothing to append. */
  append(make: (before: LogHead) => Signed<Entry> | null): Promise<void> {
    return this.#inTurn(async () => {
      for (let attempt = 0; attempt < appendAttempts; attempt++) {
        const { head } = this;
        const entry = make(head);
        if (entry === null) return;
        const body = canonicalJson(entry);
        const isAppended = await this.store.append(head.size, this.clock.now(), body);
        if (isAppended) this.#add(head.size, body);
        else await this.#read();
        if (isAppended) return;
      }
      throw new Error("The statement log changes faster than an entry can be appended.");
    });
  }

  async #read(): Promise<void> {
    this.#dropExpired();
    const { size } = this.#tree;
    // The last known one again: a restored database has another one there, or none.
    const from = Math.max(0, size - 1);
    let rows = await this.store.read(from, rowsAtOnce);
    if (size > 0 && (rows[0] === undefined || hex(bodyHash(rows[0].body)) !== hex(this.#tree.leaf(from)))) {
      this.#forget();
      rows = await this.store.read(0, rowsAtOnce);
    }
    while (rows.length > 0) {
      for (const { index, body } of rows) if (index === this.#tree.size) this.#add(index, body);
      if (rows.length < rowsAtOnce) return;
      rows = await this.store.read(this.#tree.size, rowsAtOnce);
    }
  }

  #add(index: number, body: string): void {
    this.#tree.append(bodyHash(body));
    const signed = parsed(body);
    if (signed === null) return;
    const { entry, signatures } = signed;
    this.#key ??= signatures[0]?.key ?? null;
    if (entry.type === "statement") {
      this.#key = entry.signing_key;
      this.#statements.push({ index, signed: { ...signed, entry } });
      this.#dropExpired();
    }
    if (entry.type === "key") this.#key = entry.new_key;
    if (entry.type === "restored") {
      this.#reported.push(entry.previous);
      this.#lastRestored = new Date(entry.time);
    }
  }

  #forget(): void {
    this.#tree = new MerkleTree();
    this.#statements = [];
    this.#reported = [];
    this.#lastRestored = null;
    this.#key = null;
  }

  #dropExpired(): void {
    const now = this.clock.now().getTime();
    this.#statements = this.#statements.filter(({ signed }) => Date.parse(signed.entry.not_after) > now);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const bodyHash = (body: string): Uint8Array => leafHash(Buffer.from(body));

/** Null for a row that another version, or another hand, wrote: it is a leaf like any other. */
function parsed(body: string): Signed<Entry> | null {
  try {
    const value = JSON.parse(body) as Partial<Signed<Entry>>;
    const { entry, signatures } = value;
    return entry === undefined || signatures === undefined ? null : { entry, signatures };
  } catch {
    return null;
  }
}
