/**
 * The result of `sotto privacy check`: what was searched and what was found there. Kept as a setting, signed by the
 * service's key, without any path or name of the machine, since the status page shows it to everyone.
 */
import type { Clock } from "../clock.js";
import type { Store } from "../store.js";
import type { Signer } from "./signer.js";

export type PlaceKind =
  | "data_directory"
  | "database"
  | "redis"
  | "temporary_files"
  | "other_paths"
  | "server_memory"
  | "engine_memory"
  | "core_dumps"
  | "swap";

/** `unknown`: it could not be searched, or only in part. */
export type Verdict = "clean" | "found" | "unknown";

export interface PrivacyCheckResult {
  type: "sotto-privacy-check";
  version: string;
  at: string;
  /** Between the last reply and the search of memory. */
  waited_seconds: number;
  requests_sent: number;
  /** Those that were not answered as they should be, so that they took another path. */
  requests_unexpected: number;
  places: { kind: PlaceKind; verdict: Verdict }[];
}

/** As it is stored. */
interface SignedResult {
  /** The result as JSON: the bytes that are signed. */
  result: string;
  key_id: string | null;
  signature: string | null;
}

export interface SavedPrivacyCheck {
  result: PrivacyCheckResult;
  verdict: Verdict;
  isSigned: boolean;
}

const setting = "privacy_check";

/** The worst that was found: a leak in one place is a leak. */
export const verdictOf = (places: readonly { verdict: Verdict }[]): Verdict =>
  (["found", "unknown"] as const).find((bad) => places.some(({ verdict }) => verdict === bad)) ?? "clean";

/** `signer` is null where the key is in the server's memory only. */
export async function saveCheck(
  store: Pick<Store, "setSetting">,
  signer: Signer | null,
  result: PrivacyCheckResult,
): Promise<void> {
  const text = JSON.stringify(result);
  const signature = signer?.sign(Buffer.from(text)).toString("base64url") ?? null;
  const saved: SignedResult = { result: text, key_id: signer?.keyId ?? null, signature };
  await store.setSetting(setting, JSON.stringify(saved));
}

export async function readCheck(store: Pick<Store, "getSetting">): Promise<SavedPrivacyCheck | null> {
  const text = await store.getSetting(setting);
  if (text === null) return null;
  const saved = JSON.parse(text) as SignedResult;
  const result = JSON.parse(saved.result) as PrivacyCheckResult;
  return { result, verdict: verdictOf(result.places), isSigned: saved.signature !== null };
}

const oldMs = 31 * 24 * 60 * 60_000;
/** A check says little about a service that has been changed and used for a month since. */
export const isOld = ({ at }: Pick<PrivacyCheckResult, "at">, now: Date): boolean =>
  now.getTime() - Date.parse(at) > oldMs;

const rereadMs = 15_000;

/** The last result, for the status page and the metrics, which are read more often than it changes. */
export class LastPrivacyCheck {
  #last: SavedPrivacyCheck | null = null;
  #readMs = -Infinity;

  constructor(
    private readonly store: Pick<Store, "getSetting">,
    private readonly clock: Clock,
  ) {}

  /** As read before. */
  get last(): SavedPrivacyCheck | null {
    return this.#last;
  }

  /** What was read before while the database is unavailable. */
  async read(): Promise<SavedPrivacyCheck | null> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#readMs < rereadMs) return this.#last;
    this.#readMs = nowMs;
    try {
      this.#last = await readCheck(this.store);
    } catch {
      // The status page reports the database itself.
    }
    return this.#last;
  }
}
