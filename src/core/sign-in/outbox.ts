/**
 * Mails that are written and sent behind the answer to a request, so that neither a slow mail server nor the
 * lookups before a mail can be noticed from outside. The work begins a little later, at a time that varies: a
 * store that answers without yielding the thread would otherwise still delay the answer, or the next.
 *
 * What is under way at once is bounded; past that a mail is dropped, as mail sometimes is. Errors are reported
 * to the operator, not to the person who asked.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Mail, Mailer } from "./mail.js";

const mostAtOnce = 50;
const someTimeMs = (): number => 100 + Math.random() * 900;

export class Outbox {
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    /** Null when no mail server is configured. */
    private readonly mailer: Mailer | null,
    private readonly reportError: (error: unknown) => void,
  ) {
    setMaxListeners(mostAtOnce, this.#closing.signal);
  }

  get canMail(): boolean {
    return this.mailer !== null;
  }

  /** Returns at once. `write` is not called without a mail server; null sends nothing. */
  post(write: () => Promise<Mail | null>): void {
    if (this.mailer === null || this.#underWay.size >= mostAtOnce) return;
    const work = this.#send(this.mailer, write)
      .catch(this.reportError)
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Sends what is left, without waiting for its time. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#underWay);
    await this.mailer?.close();
  }

  async #send(mailer: Mailer, write: () => Promise<Mail | null>): Promise<void> {
    await sleep(someTimeMs(), undefined, { signal: this.#closing.signal }).catch(() => undefined);
    const mail = await write();
    if (mail !== null) await mailer.send(mail);
  }
}
