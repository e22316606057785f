/**
 * Mails that are written and sent behind the answer to a request, so that neither a slow mail server nor the
 * lookups before a mail can be noticed from outside. The work begins a little later, at a time that varies: a
 * store that answers without yielding the thread would otherwise still delay the answer, or the next.
 *
 * The number of concurrent mails is bounded; beyond it a mail is dropped, as mail sometimes is. Errors are reported
 * to the operator, not to the person who asked.
 *
 * A mail that nobody asks for again is tried some more times when the mail server fails or refuses it. Those that wait
 * for their next try are bounded on their own, so that they take no room from the others.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Mail, Mailer } from "./mail.js";

const mostSending = 50;
const mostWaiting = 500;
/** Between attempts: a restart of the mail server, greylisting, an outage. */
const retriesMs = [30_000, 5 * 60_000, 20 * 60_000];
const randomDelayMs = (): number => 100 + Math.random() * 900;

/** Resolves at that time, or when `signal` aborts. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const realWait: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

export class Outbox {
  readonly #sending = new Set<Promise<void>>();
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    /** Null when no mail server is configured. */
    private readonly mailer: Mailer | null,
    private readonly reportError: (error: unknown) => void,
    private readonly wait: Wait = realWait,
  ) {
    setMaxListeners(mostSending + mostWaiting, this.#closing.signal);
  }

  get canMail(): boolean {
    return this.mailer !== null;
  }

  /**
   * Returns immediately. `write` is called once, and not at all without a mail server; null sends nothing.
   * `isRetried`: the mail is sent again when sending fails.
   */
  post(write: () => Promise<Mail | null>, { isRetried = false } = {}): void {
    if (this.mailer === null || this.#sending.size >= mostSending) return;
    const work = this.#send(this.mailer, write, isRetried)
      .catch(this.reportError)
      .finally(() => this.#sending.delete(work));
    this.#sending.add(work);
  }

  /** Sends what is left immediately. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#sending.size + this.#waiting.size > 0) {
      await Promise.all([...this.#sending, ...this.#waiting]);
    }
    await this.mailer?.close();
  }

  async #send(mailer: Mailer, write: () => Promise<Mail | null>, isRetried: boolean): Promise<void> {
    await this.wait(randomDelayMs(), this.#closing.signal);
    const mail = await write();
    if (mail === null) return;
    try {
      await mailer.send(mail);
    } catch (error) {
      if (isRetried) this.#retry(mailer, mail);
      throw error;
    }
  }

  #retry(mailer: Mailer, mail: Mail): void {
    if (this.#waiting.size >= mostWaiting) return;
    const work = this.#sendWithRetries(mailer, mail).finally(() => this.#waiting.delete(work));
    this.#waiting.add(work);
  }

  /** Never rejects: each failure is reported. When the outbox closes, it is tried once more, immediately. */
  async #sendWithRetries(mailer: Mailer, mail: Mail): Promise<void> {
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
