/**
 * Who may send to the thread that writes. A transaction has it to itself from its beginning to its end, since it is one
 * connection; single statements go together. In the order of arrival, so that neither kind starves the other. Waits
 * are bounded, in number and in time.
 */
import { withTimeLimit } from "../../../core/time-limit.js";
import { queueFull, unavailable } from "./sqlite-thread.js";

interface Waiter {
  isTransaction: boolean;
  /** Called when its turn has come. */
  go: () => void;
}

export class WriteTurns {
  readonly #waiters = new Set<Waiter>();
  #isTaken = false;

  constructor(private readonly limits: { queued: number; answerMs: number }) {}

  /** Resolves when the transaction may begin, with how to end its turn. */
  async transaction(): Promise<() => void> {
    if (this.#isTaken) await this.#wait(true);
    this.#isTaken = true;
    let isOver = false;
    return () => {
      if (!isOver) this.#next();
      isOver = true;
    };
  }

  /** Calls `send` when no transaction is under way: immediately, if that is now. */
  async single<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#isTaken) return send();
    let sent: Promise<T> | undefined;
    await this.#wait(false, () => {
      // In the moment its turn has come, before what is behind it.
      sent = send();
      // Its caller may have given up in the same moment.
      sent.catch(() => undefined);
    });
    return sent ?? send();
  }

  async #wait(isTransaction: boolean, onTurn: () => void = () => undefined): Promise<void> {
    if (this.#waiters.size >= this.limits.queued) throw queueFull();
    const waiter: Waiter = { isTransaction, go: () => undefined };
    const turn = new Promise<void>((resolve) => {
      waiter.go = () => {
        onTurn();
        resolve();
      };
    });
    this.#waiters.add(waiter);
    try {
      await withTimeLimit(turn, this.limits.answerMs, tooSlow);
    } catch (error) {
      // Its turn may have come in the moment it gave up.
      const hadTurn = !this.#waiters.delete(waiter);
      if (hadTurn && isTransaction) this.#next();
      throw error;
    }
  }

  /** Statements up to the next transaction, or that transaction. */
  #next(): void {
    this.#isTaken = false;
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      this.#isTaken = waiter.isTransaction;
      waiter.go();
      if (waiter.isTransaction) return;
    }
  }
}

const tooSlow = (): Error => unavailable("ETIMEDOUT", "Another transaction took too long.");
