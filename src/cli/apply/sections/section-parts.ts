/** What the sections work with: the store, inside of a transaction or not, and the audit trail. */
import type { Actor, Audit } from "../../../core/audit.js";
import type { Clock } from "../../../core/clock.js";
import type { SealedSettings } from "../../../core/proof/sealed-settings.js";
import type { FullStore } from "../../../store/full-store.js";
import type { Config } from "../../../config.js";

export interface SectionParts {
  store: FullStore;
  audit: Audit;
  actor: Actor;
  clock: Clock;
  config: Config;
  sealed: SealedSettings;
  /** Weights are accepted that seem too large for this machine. */
  force: boolean;
  /** A webhook was created: its secret is shown once. */
  onWebhookSecret: (url: string, secret: string) => void;
}
