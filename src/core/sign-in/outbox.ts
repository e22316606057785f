/**
 * Mails that are written and sent behind the answer to a request, so that neither a slow mail server nor the
 * lookups before a mail can be noticed from outside. The work begins a little later, at a time that varies: a
 * store that answers without yielding the thread would otherwise still delay the answer, or the next.
 *
 * What is under way at once is bounded; past that a mail is dropped, as mail sometimes is. Errors are reported
 * to the operator, not to the person who asked.
 *
 * A mail that nobody asks for again is tried some more times when the mail server fails or refuses it. Those that wait
 * for their next try are bounded on their own, so that they take no room from the others.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Mail, Mailer } from "./mail.js";

const mostAtOnce = 50;
const mostWaiting = 500;
/** From one try to the next: a restart of the mail server, greylisting, an outage. */
const retriesMs = [30_000, 5 * 60_000, 20 * 60_000];
const someTimeMs = (): number => 100 + Math.random() * 900;

/** Resolves at that time, or when `signal` aborts. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const realWait: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

export class Outbox {
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    /** Null when no mail server is configured. */
    private readonly mailer: Mailer | null,
    private readonly reportError: (error: unknown) => void,
    private readonly wait: Wait = realWait,
  ) {
    setMaxListeners(mostAtOnce + mostWaiting, this.#closing.signal);
  }

  get canMail(): boolean {
    return this.mailer !== null;
  }

  /**
   * Returns at once. `write` is called once, and not at all without a mail server; null sends nothing. `isRetried`: the
   * mail is tried again when it could not be sent.
   */
  post(write: () => Promise<Mail | null>, { isRetried = false } = {}): void {
    if (this.mailer === null || this.#underWay.size >= mostAtOnce) return;
    const work = this.#send(this.mailer, write, isRetried)
      .catch(this.reportError)
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Sends what is left, without waiting for its time. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#underWay.size + this.#waiting.size > 0) {
      await Promise.all([...this.#underWay, ...this.#waiting]);
    }
    await this.mailer?.close();
  }

  async #send(mailer: Mailer, write: () => Promise<Mail | null>, isRetried: boolean): Promise<void> {
    await this.wait(someTimeMs(), this.#closing.signal);
    const mail = await write();
    if (mail === null) return;
    try {
      await mailer.send(mail);
    } catch (error) {
      if (isRetried && !this.#closing.signal.aborted) this.#retry(mailer, mail);
      throw error;
    }
  }

  #retry(mailer: Mailer, mail: Mail): void {
    if (this.#waiting.size >= mostWaiting) return;
    const work = this.#tryAgain(mailer, mail).finally(() => this.#waiting.delete(work));
    this.#waiting.add(work);
  }

  /** Never rejects: each failure is reported. When the outbox closes, it is tried once more, at once. */
  async #tryAgain(mailer: Mailer, mail: Mail): Promise<void> {
    for (const afterMs of retriesMs) {
      await this.wait(afterMs, this.#closing.signal);
      try {
        await mailer.send(mail);
        return;
      } catch (error) {
        this.reportError(error);
      }
      if (this.#closing.signal.aborted) return;
    }
  }
}
