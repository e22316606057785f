/**
 * Mails that are written and sent behind the answer to a request, so that neither a slow mail server nor the
 * lookups before a mail can be told from outside. What is under way at once is bounded; past that a mail is
 * dropped, as mail sometimes is. Faults are reported to the operator, not to whoever asked.
 */
import type { Mail, Mailer } from "./mail.js";

const mostAtOnce = 20;

export class Outbox {
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    /** Null when no mail server is configured. */
    private readonly mailer: Mailer | null,
    private readonly reportFault: (error: unknown) => void,
  ) {}

  get canMail(): boolean {
    return this.mailer !== null;
  }

  /** Returns at once. `write` is not called without a mail server; null sends nothing. */
  post(write: () => Promise<Mail | null>): void {
    if (this.mailer === null || this.#underWay.size >= mostAtOnce) return;
    const work = this.#send(this.mailer, write)
      .catch(this.reportFault)
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.mailer?.close();
  }

  async #send(mailer: Mailer, write: () => Promise<Mail | null>): Promise<void> {
    const mail = await write();
    if (mail !== null) await mailer.send(mail);
  }
}
