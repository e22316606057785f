/**
 * Who must have a second factor, and from when. An admin decides on a page, or the configuration does, which then cannot
 * be changed elsewhere; a team may require one of its members, too, and whichever is earlier counts. The period of grace
 * begins when the requirement was made, or with the account where that is younger. Every request asks, so what was read
 * last is used for a few seconds.
 *
 * Someone who came from an identity provider is not asked: proving who they are is up to the provider.
 */
import type { Actor, Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { Store } from "../store.js";

export const requiredFor = ["off", "admins", "all"] as const;
export type RequiredFor = (typeof requiredFor)[number];

export interface Requirement {
  requiredFor: RequiredFor;
  graceDays: number;
}

/** When someone must have a second factor, and who asks for it. */
export interface FactorDue {
  by: Date;
  of: "service" | "team";
}

export interface RequirementFacts extends Requirement {
  /** It comes from the configuration. */
  isConfigured: boolean;
}

const setting = "second_factor";
const usedForMs = 5_000;
const dayMs = 24 * 60 * 60_000;

interface Known extends Requirement {
  sinceMs: number;
}

export class FactorRequirement {
  #last: { known: Known; readMs: number } | null = null;

  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    private readonly clock: Clock,
    /** Undefined where the page decides, which begins with this period of grace. */
    private readonly configured: { requiredFor: RequiredFor | undefined; graceDays: number },
  ) {}

  async read(): Promise<RequirementFacts> {
    const { requiredFor: forWhom, graceDays } = await this.#known();
    return { requiredFor: forWhom, graceDays, isConfigured: this.#isConfigured };
  }

  async save(audit: Audit, actor: Actor, requirement: Requirement): Promise<RequirementFacts> {
    if (this.#isConfigured) {
      throw new DashboardError("conflict", "This is set by the configuration: SOTTO_SECOND_FACTOR.");
    }
    const before = await this.#known();
    const isSame = before.requiredFor === requirement.requiredFor;
    await this.#write({ ...requirement, sinceMs: isSame ? before.sinceMs : this.#nowMs });
    await audit.record(actor, "changed required second factor", "");
    return this.read();
  }

  /** When whoever is signed in must have a second factor; null where they need not. */
  async dueOf({
    account,
    teamFactorBy,
  }: Pick<SessionRecord, "account" | "teamFactorBy">): Promise<FactorDue | null> {
    const byService = await this.#dueByService(account);
    if (teamFactorBy !== null && (byService === null || teamFactorBy < byService))
      return { by: teamFactorBy, of: "team" };
    return byService && { by: byService, of: "service" };
  }

  /** When whoever is signed in must add one; null where they need not, or have one. */
  async missing(me: Omit<SessionRecord, "plan">): Promise<FactorDue | null> {
    return me.hasFactor || me.session.method === "oidc" ? null : this.dueOf(me);
  }

  async #dueByService({ role, createdAt }: Account): Promise<Date | null> {
    const { requiredFor: forWhom, graceDays, sinceMs } = await this.#known();
    if (forWhom === "off" || (forWhom === "admins" && role !== "admin")) return null;
    return new Date(Math.max(sinceMs, createdAt.getTime()) + graceDays * dayMs);
  }

  get #isConfigured(): boolean {
    return this.configured.requiredFor !== undefined;
  }

  get #nowMs(): number {
    return this.clock.now().getTime();
  }

  async #known(): Promise<Known> {
    const last = this.#last;
    if (last !== null && Math.abs(this.#nowMs - last.readMs) < usedForMs) return last.known;
    const { requiredFor: forWhom, graceDays } = this.configured;
    const stored = parse(await this.store.getSetting(setting));
    const known = stored ?? { requiredFor: "off", graceDays, sinceMs: 0 };
    if (forWhom === undefined) return this.#keep(known);
    if (known.requiredFor === forWhom) return this.#keep({ ...known, graceDays });
    return this.#write({ requiredFor: forWhom, graceDays, sinceMs: this.#nowMs });
  }

  async #write(known: Known): Promise<Known> {
    await this.store.setSetting(setting, JSON.stringify(known));
    return this.#keep(known);
  }

  #keep(known: Known): Known {
    this.#last = { known, readMs: this.#nowMs };
    return known;
  }
}

const parse = (text: string | null): Known | null => (text === null ? null : (JSON.parse(text) as Known));
