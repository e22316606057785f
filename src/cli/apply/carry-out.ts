/**
 * Makes the service what the file says, in one transaction. It is tried first and rolled back: that shows what would change,
 * and the rules of the services themselves say what they would refuse.
 */
import { readServiceKey } from "../../adapters/service-key.js";
import type { Config } from "../../config.js";
import { Audit, type OnRecorded } from "../../core/audit.js";
import { systemClock } from "../../core/clock.js";
import { DashboardError } from "../../core/dashboard-error.js";
import { SealedSettings } from "../../core/proof/sealed-settings.js";
import { signingKeySetting } from "../../core/proof/signer.js";
import { UserError } from "../../core/user-error.js";
import type { FullStore } from "../../store/full-store.js";
import { type ConfigurationFile, FileProblems } from "./configuration-file.js";
import { suggestion } from "./file-schema.js";
import { aliasesSection } from "./sections/aliases.js";
import { modelsSection } from "./sections/models.js";
import { operatorSection } from "./sections/operator.js";
import { plansSection } from "./sections/plans.js";
import { providersSection } from "./sections/providers.js";
import { secondFactorSection } from "./sections/second-factor.js";
import {
  type Change,
  EntryError,
  type Path,
  type Reading,
  type Section,
  type SectionParts,
} from "./sections/section.js";
import { teamsSection } from "./sections/teams.js";
import { webhooksSection } from "./sections/webhooks.js";

export interface CarryOutOptions {
  file: ConfigurationFile;
  config: Config;
  prune: boolean;
  force: boolean;
}

export interface Outcome {
  changes: Change[];
  notes: string[];
  /** Of webhooks that were created, by their addresses. */
  webhookSecrets: Record<string, string>;
  recorded: Parameters<OnRecorded>[];
}

/** In the order in which they build on one another: plans before the teams that are on them. */
export const sections: ReadonlyMap<string, (parts: SectionParts) => Section> = new Map([
  ["operator", operatorSection],
  ["secondFactor", secondFactorSection],
  ["plans", plansSection],
  ["aliases", aliasesSection],
  ["models", modelsSection],
  ["providers", providersSection],
  ["teams", teamsSection],
  ["webhooks", webhooksSection],
]);

/** The service key is read, and created where there is none, only for sections with secrets. */
export function sectionParts(parts: Omit<SectionParts, "actor" | "clock" | "sealed">): SectionParts {
  const { secretKey, dataDir } = parts.config.service;
  return {
    ...parts,
    actor: "command line",
    clock: systemClock,
    get sealed() {
      return new SealedSettings(parts.store, readServiceKey(secretKey, dataDir));
    },
  };
}

/** What would change. Nothing does. Throws `FileProblems`. */
export async function tryOut(store: FullStore, options: CarryOutOptions): Promise<Outcome> {
  try {
    return await store.atomically(async (inside) => {
      throw new TriedOut(await change(inside, options));
    });
  } catch (error) {
    if (error instanceof TriedOut) return error.outcome;
    throw error;
  }
}

/** Changes what `expected` says, or nothing. */
export function carryOut(store: FullStore, options: CarryOutOptions, expected: Outcome): Promise<Outcome> {
  return store.atomically(async (inside) => {
    const outcome = await change(inside, options);
    if (JSON.stringify(outcome.changes) === JSON.stringify(expected.changes)) return outcome;
    throw new UserError(
      "The service was changed by someone else meanwhile. Nothing was applied: run it again.",
    );
  });
}

class TriedOut extends Error {
  constructor(readonly outcome: Outcome) {
    super("This was a trial.");
  }
}

async function change(store: FullStore, options: CarryOutOptions): Promise<Outcome> {
  const { file, config, prune, force } = options;
  const outcome: Outcome = { changes: [], notes: [], webhookSecrets: {}, recorded: [] };
  const audit = new Audit(store.audit, systemClock, (...line) => void outcome.recorded.push(line));
  const onWebhookSecret = (url: string, secret: string) => void (outcome.webhookSecrets[url] = secret);
  const parts = sectionParts({ store, audit, config, force, onWebhookSecret });
  const problems: string[] = [];
  const problem: Reading["problem"] = (path, message) => {
    problems.push(file.describe(path, message));
    return [];
  };
  const reading: Reading = {
    prune,
    problem,
    unknownField: (path) => problem(path, `There is no such field${suggestion(String(path.at(-1)))}`),
    note: (text) => void outcome.notes.push(text),
  };
  for (const name of Object.keys(file.content)) if (!sections.has(name)) reading.unknownField([name]);
  // Secrets must be sealed under the key that the servers have.
  if ("providers" in file.content || "webhooks" in file.content) await parts.sealed.get(signingKeySetting);
  for (const [name, open] of sections) {
    const given = file.content[name];
    if (given !== undefined && given !== null)
      outcome.changes.push(...(await open(parts).changes(given, reading)));
  }
  if (problems.length > 0) throw new FileProblems(problems);
  for (const step of inOrder(outcome.changes)) await run(step, file);
  return outcome;
}

/** What is deleted goes last, and what others build on last of all. */
const inOrder = (changes: readonly Change[]): Change[] => [
  ...changes.filter(({ type }) => type !== "delete"),
  ...changes.filter(({ type }) => type === "delete").reverse(),
];

async function run({ run: work, path }: Change, file: ConfigurationFile): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw errorAt(error, path, file);
  }
}

/** With the place in the file, where the error is about the entry. */
export function errorAt(error: unknown, path: Path, file: ConfigurationFile): unknown {
  if (error instanceof EntryError)
    return new FileProblems([file.describe([...path, ...error.place], error.message)]);
  if (error instanceof DashboardError)
    return new FileProblems([file.describe([...path, ...(error.field?.split(".") ?? [])], error.message)]);
  return error instanceof UserError ? new FileProblems([file.describe(path, error.message)]) : error;
}
