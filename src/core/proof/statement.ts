/**
 * What the service says about itself, and the other entries of its log. Names are those of the documents that are
 * signed and served; hashes and keys are hexadecimal, times ISO 8601.
 */
import { createHash } from "node:crypto";
import type { ModelId } from "../models.js";
import { canonicalJson } from "./canonical-json.js";
import type { Signer } from "./signer.js";

export type OnOff = "on" | "off";

/** What computes a model's replies. Never a path of this machine. */
export type ModelPart =
  | {
      runs: "embedded";
      /** Of the weights; null where none are known. */
      name: string | null;
      /** SHA-256 of the file; null while it is computed. */
      weights: string | null;
    }
  | { runs: "upstream"; host: string; /** Of the privacy preflight. */ findings: string[] };

interface MachineFacts {
  /** `handler`: the system gives the memory of a process that crashed to a program. */
  core_dumps: OnOff | "empty" | "unknown";
  swap: OnOff | "unknown";
}

export interface StatementFacts {
  version: string;
  commit: string | null;
  /** SHA-256 over the list of the program's files; null where it runs from its sources. */
  program: string | null;
  models: Record<ModelId, ModelPart[]>;
  switches: {
    tracing: OnOff;
    prefix_reuse: OnOff;
    item_memory: OnOff;
    log_level: string;
    log_format: string;
  };
  machine: MachineFacts;
  /** The public key for encrypted bodies; null where none are accepted. */
  hpke_key: string | null;
  /** The place for a report of confidential-computing hardware, which no supported machine has yet. */
  hardware_evidence: null;
  signing_key: string;
}

export interface LogHead {
  size: number;
  root: string;
}

/** The log as it was before the entry. */
interface Entered {
  time: string;
  log: LogHead;
}

export type Statement = StatementFacts & Entered & { type: "statement"; not_after: string };

/** Another key signs from here on. Signed by both, unless the old one is lost. */
type KeyEntry = Entered & { type: "key"; old_key: string; new_key: string };

/** The database was restored from a backup that did not have the latest entries. */
type RestoredEntry = Entered & {
  type: "restored";
  /** As it was known. */
  previous: LogHead;
  /** At least that many entries; null where other ones took their places. */
  lost: number | null;
};

export type Entry = Statement | KeyEntry | RestoredEntry;

export type Checkpoint = LogHead & { type: "checkpoint"; time: string };

export interface Signed<T> {
  entry: T;
  signatures: { key: string; signature: string }[];
}

export function signed<T>(entry: T, ...signers: readonly Signer[]): Signed<T> {
  const bytes = Buffer.from(canonicalJson(entry));
  const signatures = signers.map((signer) => ({
    key: signer.publicKey.toString("hex"),
    signature: signer.sign(bytes).toString("hex"),
  }));
  return { entry, signatures };
}

/** What receipts name a statement by: SHA-256 of its canonical JSON. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex");

/** A statement without what differs between two of the same facts. */
export function factsOf({
  type: _type,
  time: _time,
  not_after: _end,
  log: _log,
  ...facts
}: Statement): StatementFacts {
  return facts;
}
