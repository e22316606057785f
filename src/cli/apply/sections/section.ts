/**
 * A section of the file: plans, teams, models and so on. It knows what the service has now, as the file would say it, and
 * turns what the file says into changes. Nothing is written before a change is run.
 */
import type { core } from "zod";
import type { Config } from "../../../config.js";
import type { Actor, Audit } from "../../../core/audit.js";
import type { Clock } from "../../../core/clock.js";
import type { SealedSettings } from "../../../core/proof/sealed-settings.js";
import { UserError } from "../../../core/user-error.js";
import type { FullStore } from "../../../store/full-store.js";
import type { FieldChange } from "./fields.js";

/** A place in the file, such as `plans`, `team`, `name`. */
export type Path = readonly PropertyKey[];

export interface Change {
  type: "create" | "change" | "delete";
  /** Such as `plan`. */
  kind: string;
  /** Empty where there is only one of its kind. */
  name: string;
  path: Path;
  fields: readonly FieldChange[];
  /** What must hold outside of the database, such as a file that exists. Resolves with warnings. */
  check?: () => Promise<string[]>;
  run: () => Promise<unknown>;
}

/** What is asked of the sections, and how they answer for the file. */
export interface Reading {
  /** Also deletes what the section does not mention. */
  prune: boolean;
  /** Something is wrong there, so nothing will be changed: returns no changes. */
  problem: (path: Path, message: string) => never[];
  unknownField: (path: Path) => void;
  note: (text: string) => void;
}

/** What the sections work with: the store, inside of a transaction or not, and the audit trail. */
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

export interface Section {
  /** As the file says it; undefined where there is nothing to say, or where the configuration decides. */
  current: () => Promise<unknown>;
  changes: (given: unknown, reading: Reading) => Promise<Change[]>;
}

export function reportIssues(path: Path, issues: readonly core.$ZodIssue[], reading: Reading): void {
  for (const issue of issues) {
    const place = [...path, ...issue.path];
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys) reading.unknownField([...place, key]);
    else reading.problem(place, issue.message);
  }
}

/** A change cannot be carried out; the place is below its entry. */
export class EntryError extends UserError {
  constructor(
    message: string,
    readonly place: Path,
  ) {
    super(message);
    this.name = "EntryError";
  }
}
