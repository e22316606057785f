/**
 * Issues the signed statement and keeps it true: it looks at the facts periodically and on demand, and appends a new
 * statement to the log when one of them has changed or the last one nears its end. Facts that equal those of a valid
 * statement use that one, so replicas of two versions, as in a rolling upgrade, do not take turns.
 *
 * While the database is unreachable the last statement is served until it expires.
 */
import type { Clock } from "../clock.js";
import { PeriodicTask } from "../periodic-task.js";
import { withTimeLimit } from "../time-limit.js";
import { canonicalJson } from "./canonical-json.js";
import type { Signer } from "./signer.js";
import {
  digestOf,
  factsOf,
  signed,
  type Checkpoint,
  type LogHead,
  type Signed,
  type Statement,
  type StatementFacts,
} from "./statement.js";
import type { LoggedStatement, Loss, StatementLog } from "./statement-log.js";

const hourMs = 3_600_000;
const validMs = 48 * hourMs;
/** Before its end. */
const renewMs = 24 * hourMs;
const lookMs = 30_000;
const onDemandMs = 5_000;
/** A checkpoint is signed again after that time, though nothing was appended. */
const checkpointMs = 10_000;

export interface StatementDocument {
  statement: Signed<Statement>;
  /** Of the statement in the log. */
  index: number;
  checkpoint: Signed<Checkpoint>;
  inclusion: string[];
}

export interface StatementParts {
  log: StatementLog;
  clock: Clock;
  /** All but the signing key. May change from call to call. */
  facts: () => Promise<Omit<StatementFacts, "signing_key" | "hpke_key">>;
  hpkeKey: () => string | null;
  /** The key that signs now. `inForce` is the one that the log names: it may have been rotated by another process. */
  signer: (inForce: string | null) => Promise<Signer>;
  onLoss: (loss: Loss) => void;
  /** What kept a look from being finished. */
  onError: (error: unknown) => void;
}

export class Statements {
  #current: LoggedStatement | null = null;
  #signer: Signer | null = null;
  #checkpoint: { signed: Signed<Checkpoint>; atMs: number } | null = null;
  readonly #looks: PeriodicTask;

  constructor(private readonly parts: StatementParts) {
    this.#looks = new PeriodicTask(() => this.#look().catch(parts.onError), lookMs);
  }

  /** Looks at the facts and at the log now. Never rejects. */
  look(): Promise<void> {
    return this.#looks.runAgain();
  }

  close(): Promise<void> {
    return this.#looks.stop();
  }

  get signer(): Signer | null {
    return this.#signer;
  }

  get log(): StatementLog {
    return this.parts.log;
  }

  /** The valid statement; null before the first. */
  get current(): Statement | null {
    return this.#current?.signed.entry ?? null;
  }

  /** What a receipt names. */
  get currentDigest(): string | null {
    return this.#current === null ? null : digestOf(this.#current.signed.entry);
  }

  /** Null while there is none: just after the start, or when it expired without the database. */
  async document(): Promise<StatementDocument | null> {
    if (this.#isOutdated() || !this.#isLogged())
      await withTimeLimit(this.look(), onDemandMs).catch(() => undefined);
    const checkpoint = this.checkpoint();
    if (this.#current === null || checkpoint === null || this.#msLeft() <= 0 || !this.#isLogged())
      return null;
    const { index, signed: statement } = this.#current;
    if (index >= checkpoint.entry.size) return null;
    const inclusion = this.parts.log.inclusionProof(index, checkpoint.entry.size);
    return { statement, index, checkpoint, inclusion };
  }

  /** Of all entries that were read; null before the first. */
  checkpoint(): Signed<Checkpoint> | null {
    const { log, clock } = this.parts;
    const { size, root } = log.head;
    const atMs = clock.monotonicMs();
    const last = this.#checkpoint;
    const isSame = last?.signed.entry.size === size && last.signed.entry.root === root;
    if (isSame && atMs - last.atMs < checkpointMs) return last.signed;
    // The signer of a log that ends with a rotation is loaded by the next look.
    if (this.#signer === null || size === 0 || keyOf(this.#signer) !== log.key) return last?.signed ?? null;
    const time = clock.now().toISOString();
    const fresh = signed<Checkpoint>({ type: "checkpoint", size, root, time }, this.#signer);
    this.#checkpoint = { signed: fresh, atMs };
    return fresh;
  }

  #isOutdated(): boolean {
    return this.current?.hpke_key !== this.parts.hpkeKey() || this.#msLeft() <= renewMs;
  }

  /** Not if the database was restored meanwhile, and the log was read again. */
  #isLogged(): boolean {
    return this.parts.log.statements.some(({ signed: one }) => one === this.#current?.signed);
  }

  #msLeft(statement = this.current): number {
    return statement === null ? 0 : Date.parse(statement.not_after) - this.parts.clock.now().getTime();
  }

  async #look(): Promise<void> {
    const { log } = this.parts;
    await log.refresh();
    await this.#settleSigner();
    await this.#reportLoss();
    await this.#issue();
    log.remember();
  }

  async #settleSigner(): Promise<void> {
    const { log, signer } = this.parts;
    const isSettled = () => this.#signer !== null && keyOf(this.#signer) === log.key;
    if (isSettled()) return;
    this.#signer = await signer(log.key);
    if (log.key === null || isSettled()) return;
    // The old key is lost, or was in memory only. Whoever relied on it will be told.
    const current = this.#signer;
    await log.append((before) => {
      const { key } = log;
      if (key === null || key === keyOf(current)) return null;
      return signed(
        { ...this.#entered(before), type: "key", old_key: key, new_key: keyOf(current) },
        current,
      );
    });
  }

  async #reportLoss(): Promise<void> {
    const { log, onLoss } = this.parts;
    const found = log.findLoss();
    if (found === null) return;
    onLoss(found);
    await log.append((before) => {
      const loss = log.findLoss();
      return loss === null || !this.#maySign()
        ? null
        : this.#signed({ ...this.#entered(before), type: "restored", ...loss });
    });
  }

  async #issue(): Promise<void> {
    const { log, hpkeKey } = this.parts;
    if (this.#signer === null) return;
    const facts: StatementFacts = {
      ...(await this.parts.facts()),
      hpke_key: hpkeKey(),
      signing_key: keyOf(this.#signer),
    };
    const wanted = canonicalJson(facts);
    const valid = () =>
      log.statements.findLast(
        ({ signed: { entry } }) => this.#msLeft(entry) > renewMs && canonicalJson(factsOf(entry)) === wanted,
      );
    await log.append((before) => {
      if (valid() !== undefined || !this.#maySign()) return null;
      const entered = this.#entered(before);
      const end = new Date(Date.parse(entered.time) + validMs).toISOString();
      return this.#signed<Statement>({ ...facts, ...entered, type: "statement", not_after: end });
    });
    this.#current = valid() ?? this.#current;
  }

  /** Not if another process has rotated the key meanwhile: the next look uses the new one. */
  #maySign(): boolean {
    const { key } = this.parts.log;
    return this.#signer !== null && (key === null || key === keyOf(this.#signer));
  }

  #entered(log: LogHead): { time: string; log: LogHead } {
    return { time: this.parts.clock.now().toISOString(), log };
  }

  #signed<T>(entry: T): Signed<T> {
    if (this.#signer === null) throw new Error("There is no key to sign with yet.");
    return signed(entry, this.#signer);
  }
}

export const keyOf = ({ publicKey }: Signer): string => publicKey.toString("hex");
