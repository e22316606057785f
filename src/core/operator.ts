/**
 * Who runs the service and how to reach them: asked at set-up, kept as one setting, shown to everyone. A name in the
 * configuration replaces the one that was entered. Replicas and mails use what this process read last, which is at
 * every visit to a page.
 */
import type { Actor, Audit } from "./audit.js";
import { DashboardError } from "./dashboard-error.js";
import type { Store } from "./store.js";

export interface OperatorFacts {
  /** Null until it is known. */
  name: string | null;
  /** An email address or the address of a web page. */
  contact: string | null;
  /** The name comes from the configuration and cannot be changed elsewhere. */
  isNameConfigured: boolean;
}

const setting = "operator";

export class Operator {
  #facts: OperatorFacts;

  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    private readonly configuredName: string | undefined,
  ) {
    this.#facts = this.#with(null, null);
  }

  /** As read last; for mails, feeds and the list of models. */
  get name(): string {
    return this.#facts.name ?? "Sotto";
  }

  async read(): Promise<OperatorFacts> {
    const { name = null, contact = null } = parse(await this.store.getSetting(setting));
    this.#facts = this.#with(name, contact);
    return this.#facts;
  }

  /** Throws `bad_request` for a contact that no link can lead to. */
  check({ contact }: Pick<OperatorFacts, "contact">): void {
    if (contact === null || contactLink(contact) !== null) return;
    throw new DashboardError(
      "bad_request",
      "Enter an email address like help@example.com, or a web address that begins with https://.",
      { field: "contact" },
    );
  }

  async save(
    audit: Audit,
    actor: Actor,
    { name, contact }: Pick<OperatorFacts, "name" | "contact">,
  ): Promise<OperatorFacts> {
    this.check({ contact });
    await this.store.setSetting(setting, JSON.stringify({ name, contact }));
    await audit.record(actor, "changed operator details", "");
    return this.read();
  }

  #with(name: string | null, contact: string | null): OperatorFacts {
    const isNameConfigured = this.configuredName !== undefined;
    return { name: this.configuredName ?? name, contact, isNameConfigured };
  }
}

/** What a link to it leads to; null where it is neither an email address nor a web address. */
export function contactLink(contact: string): string | null {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(contact)) return `mailto:${contact}`;
  return /^https?:\/\/[^\s<>"]+$/i.test(contact) && URL.canParse(contact) ? contact : null;
}

function parse(text: string | null): { name?: string | null; contact?: string | null } {
  return text === null ? {} : (JSON.parse(text) as { name?: string | null; contact?: string | null });
}
