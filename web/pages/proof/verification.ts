/**
 * Checks a service in this browser, with what this browser remembers of it: local storage has the keys and the last
 * head of its log, so that a history that was rewritten since is noticed.
 */
import * as z from "zod";
import { proofPaths } from "../../../src/protocol/proof/proof-paths.js";
import { pageSchema, type WireSignedEntry } from "../../../src/protocol/proof/shapes.js";
import {
  baseOf,
  rememberedSchema,
  verifyService,
  type Remembered,
  type Verification,
} from "../../../src/protocol/proof/verify.js";
import { momentFormat } from "../../components/text/moments.ts";

// The pages' policy lets nothing be compiled from text.
z.config({ jitless: true });

const storageKey = "sotto-verify";
const storedSchema = z.record(z.string(), rememberedSchema);

export interface CheckedService extends Verification {
  address: string;
  /** Of the first check in this browser; null if this was it. */
  since: string | null;
}

/** Rejects with a sentence for people. */
export async function checkService(address: string): Promise<CheckedService> {
  const base = baseOf(address);
  const remembered = recall()[base] ?? null;
  const result = await verifyService(base, {
    remembered,
    formatMoment: (moment) => momentFormat.format(moment),
  });
  if (result.remembered !== null) remember(base, result.remembered);
  return { ...result, address: base, since: remembered?.since ?? null };
}

/** Forgets what was pinned: the next check is the first one. */
export function forgetService(base: string): void {
  const { [base]: _, ...others } = recall();
  store(others);
}

export interface LogPage {
  from: number;
  size: number;
  entries: WireSignedEntry[];
}

/** The entries before `end`, or the latest, and the one before those. */
export async function readLog(end: number | null, count: number): Promise<LogPage> {
  const size = end ?? (await readPage(0, 1)).size;
  const from = Math.max(0, size - count - 1);
  return readPage(from, Math.max(1, size - from));
}

async function readPage(from: number, limit: number): Promise<LogPage> {
  const response = await fetch(`${proofPaths.log}?from=${from}&limit=${limit}`, {
    cache: "no-store",
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error("This service has no log at the moment.");
  return pageSchema.parse(await response.json());
}

function recall(): Record<string, Remembered> {
  try {
    return storedSchema.parse(JSON.parse(localStorage.getItem(storageKey) ?? "{}"));
  } catch {
    return {};
  }
}

const remember = (base: string, remembered: Remembered): void => store({ ...recall(), [base]: remembered });

/** Where there is no storage, every check is the first. */
function store(services: Record<string, Remembered>): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(services));
  } catch {
    return;
  }
}
