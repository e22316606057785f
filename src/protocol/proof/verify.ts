/**
 * Checks a service from outside: that its statement is signed, valid and in its log; that the log still begins with
 * everything that was seen of it before; that every entry since was signed by the key in force, and every change of
 * that key by the key before. Runs in Node and in browsers. Nothing that the service answers is trusted, and all of it
 * is bounded.
 *
 * What is remembered between two checks is the log's last head with its frontier, from which the head of a longer log
 * can be computed, the keys, and the statement, to say what changed.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { canonicalJson } from "../../core/proof/canonical-json.js";
import { isConsistent, isIncluded, leafHash, MerkleTree } from "../../core/proof/merkle.js";
import { CannotVerify, type Fetch, fetchBytes } from "./bounded-fetch.js";
import { entryWords, shortHash, statementChanges } from "./changes.js";
import { isSignedBy } from "./ed25519.js";
import { mostEntries, proofPaths } from "./proof-paths.js";
import {
  consistencySchema,
  documentSchema,
  hexKey,
  pageSchema,
  statementSchema,
  type WireDocument,
  type WireSignedEntry,
  type WireStatement,
} from "./shapes.js";

export { CannotVerify } from "./bounded-fetch.js";

const limits = { timeoutMs: 15_000, limitBytes: 4 * 1024 * 1024 };
/** Of one check. A log grows by one or two a day. */
const mostNewEntries = 50_000;
const clockSkewMs = 5 * 60_000;

export const rememberedSchema = z.object({
  /** That signed, oldest first, each but the first endorsed by the one before. */
  keys: z.array(hexKey).min(1),
  size: z.int().min(1),
  root: hexKey,
  frontier: z.array(hexKey).max(64),
  statement: statementSchema,
  /** Of the first check. */
  since: z.string(),
});

/** What a later check relies on. */
export type Remembered = z.infer<typeof rememberedSchema>;

type Cause =
  | "history_lost"
  | "history_rewritten"
  | "log_mismatch"
  | "signature"
  | "key_changed"
  | "unknown_key"
  | "not_in_log"
  | "expired"
  | "not_yet_valid"
  | "encryption_key";

class Refused extends Error {
  constructor(
    readonly reason: Cause,
    message: string,
  ) {
    super(message);
  }
}

export interface Verification {
  /** Null where everything holds. */
  refused: { cause: Cause; text: string } | null;
  /** What was checked and holds, in sentences. */
  passed: string[];
  /** What is no reason to refuse, and should be known. */
  warnings: string[];
  /** Since the last check; null at the first. */
  changes: string[] | null;
  statement: WireStatement | null;
  /** To be kept for the next check; null where it was refused. */
  remembered: Remembered | null;
}

export interface VerifyOptions {
  remembered?: Remembered | null;
  /** A key that is known from elsewhere. */
  pin?: string | null;
  now?: Date;
  /** How a moment is written in a sentence; as it is stated, in ISO 8601, without this. */
  formatMoment?: (moment: Date) => string;
  fetch?: Fetch;
}

/** Rejects with `CannotVerify` where the service cannot be asked, or does not answer as a service like this does. */
export async function verifyService(address: string, options: VerifyOptions = {}): Promise<Verification> {
  const first = await new Check(address, options).run();
  // The service may have appended to its log, or replaced a key, between two answers.
  return first.refused !== null && isRace(first.refused.cause) ? new Check(address, options).run() : first;
}

const isRace = (cause: Cause): boolean =>
  cause === "encryption_key" || cause === "log_mismatch" || cause === "not_in_log";

class Check {
  readonly #base: string;
  readonly #passed: string[] = [];
  readonly #warnings: string[] = [];
  readonly #events: string[] = [];
  readonly #fetch: Fetch;
  readonly #now: Date;
  #statement: WireStatement | null = null;

  constructor(
    address: string,
    private readonly options: VerifyOptions,
  ) {
    this.#base = baseOf(address);
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#now = options.now ?? new Date();
  }

  async run(): Promise<Verification> {
    try {
      const remembered = await this.#check();
      return this.#result(null, remembered);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.#result({ cause: error.reason, text: error.message }, null);
    }
  }

  #result(refused: Verification["refused"], remembered: Remembered | null): Verification {
    const before = this.options.remembered ?? null;
    const changes =
      before === null || this.#statement === null
        ? null
        : [...this.#events, ...statementChanges(before.statement, this.#statement)];
    const [passed, warnings, statement] = [this.#passed, this.#warnings, this.#statement];
    return { refused, passed, warnings, changes, statement, remembered };
  }

  async #check(): Promise<Remembered> {
    const { remembered = null, pin = null } = this.options;
    const document = await this.#read(proofPaths.statement, documentSchema);
    const { entry: checkpoint } = document.checkpoint;
    if (remembered !== null) await this.#checkHistory(remembered, checkpoint);
    const { tree, keys } = await this.#follow(remembered, checkpoint);
    const key = keys.at(-1) ?? "";
    if (pin !== null && !keys.includes(pin)) {
      throw new Refused("unknown_key", `The log is signed by ${key}, and not by the pinned key ${pin}.`);
    }
    if (!isSignedBy(document.checkpoint, key)) {
      throw new Refused("signature", `The checkpoint is not signed by the key in force, ${shortHash(key)}.`);
    }
    this.#passed.push(
      `The log has ${checkpoint.size === 1 ? "one entry" : `${checkpoint.size} entries`} (root ${shortHash(checkpoint.root)}), each signed by the key in force; the key now is ${key}.`,
    );
    this.#checkStatement(document, key);
    await this.#checkEncryptionKey(document.statement.entry);
    const { size, root } = checkpoint;
    return {
      keys,
      size,
      root,
      frontier: tree.frontier.map(bytesToHex),
      statement: document.statement.entry,
      since: remembered?.since ?? this.#now.toISOString(),
    };
  }

  async #checkHistory(before: Remembered, { size, root }: { size: number; root: string }): Promise<void> {
    if (size < before.size) {
      throw new Refused(
        "history_lost",
        `The log has ${size} entries, and had ${before.size} at the last check: entries were lost or withheld.`,
      );
    }
    const path = `${proofPaths.consistency}?first=${before.size}&second=${size}`;
    const proof =
      size === before.size ? [] : (await this.#read(path, consistencySchema)).proof.map(hexToBytes);
    const [old, now] = [before, { size, root }].map((head) => ({
      size: head.size,
      root: hexToBytes(head.root),
    }));
    if (old === undefined || now === undefined || !isConsistent(old, now, proof)) {
      throw new Refused(
        "history_rewritten",
        `The log no longer begins with the ${before.size} entries that it had at the last check: its history was rewritten.`,
      );
    }
    this.#passed.push(`The log still begins with the ${before.size} entries of the last check.`);
  }

  /** Reads all entries that are new, and arrives at the checkpoint's root by them. */
  async #follow(
    before: Remembered | null,
    { size, root }: { size: number; root: string },
  ): Promise<{ tree: MerkleTree; keys: string[] }> {
    const tree = new MerkleTree(before?.size ?? 0, before?.frontier.map(hexToBytes) ?? []);
    if (size - tree.size > mostNewEntries) {
      throw new CannotVerify(`The log has ${size} entries, more than can be read at once.`);
    }
    let keys = before?.keys ?? [];
    while (tree.size < size) {
      const limit = Math.min(mostEntries, size - tree.size);
      const { entries } = await this.#read(`${proofPaths.log}?from=${tree.size}&limit=${limit}`, pageSchema);
      if (entries.length === 0)
        throw new Refused("log_mismatch", "The log is shorter than its checkpoint says.");
      for (const signed of entries.slice(0, limit)) {
        keys = this.#nextKeys(keys, signed, tree.size);
        tree.append(leafOf(signed));
      }
    }
    if (bytesToHex(tree.root()) !== root) {
      throw new Refused("log_mismatch", "The entries of the log do not lead to its checkpoint.");
    }
    return { tree, keys };
  }

  #nextKeys(keys: string[], signed: WireSignedEntry, index: number): string[] {
    const { entry, signatures } = signed;
    const inForce = keys.at(-1) ?? signatures[0]?.key ?? "";
    const signer = entry.type === "key" ? entry.new_key : inForce;
    if (!isSignedBy(signed, signer)) {
      throw entry.type === "statement" && entry.signing_key !== inForce
        ? keyChanged(index)
        : new Refused("signature", `Entry ${index} of the log is not signed by the key in force then.`);
    }
    const known = keys.length === 0 ? [inForce] : keys;
    if (entry.type === "statement") {
      if (entry.signing_key !== inForce) throw keyChanged(index);
      return known;
    }
    const words = entryWords(signed, null);
    if (entry.type === "restored") {
      this.#warnings.push(...words);
      return known;
    }
    if (entry.old_key === inForce && isSignedBy(signed, inForce)) {
      this.#events.push(...words);
      return [...known, entry.new_key];
    }
    if (keys.length > 0 && (this.options.remembered ?? null) !== null) throw keyChanged(index);
    // Whoever comes later relies on the new key alone.
    this.#warnings.push(...words);
    return [entry.new_key];
  }

  #checkStatement({ statement, index, checkpoint, inclusion }: WireDocument, key: string): void {
    const { entry } = statement;
    this.#statement = entry;
    const head = { size: checkpoint.entry.size, root: hexToBytes(checkpoint.entry.root) };
    if (!isIncluded(leafOf(statement), index, head, inclusion.map(hexToBytes))) {
      throw new Refused("not_in_log", `The statement is not entry ${index} of the log.`);
    }
    if (entry.signing_key !== key || !isSignedBy(statement, key)) {
      throw new Refused("signature", "The statement is not signed by the key in force.");
    }
    if (Date.parse(entry.not_after) <= this.#now.getTime()) {
      throw new Refused("expired", `The statement expired at ${this.#moment(entry.not_after)}.`);
    }
    if (Date.parse(entry.time) > this.#now.getTime() + clockSkewMs) {
      throw new Refused(
        "not_yet_valid",
        `The statement is of ${this.#moment(entry.time)}, which is in the future.`,
      );
    }
    this.#passed.push(
      `The statement is signed, is entry ${index} of the log, and is valid until ${this.#moment(entry.not_after)}.`,
    );
  }

  #moment(at: string): string {
    return this.options.formatMoment?.(new Date(at)) ?? at;
  }

  /** Bodies must be encrypted to the key in the statement, or whoever is between could read them. */
  async #checkEncryptionKey({ hpke_key: stated }: WireStatement): Promise<void> {
    const keys = await fetchBytes(this.#base + proofPaths.hpkeKeys, this.#fetch, limits);
    const served = keys === null ? null : firstKeyOf(keys);
    if (stated === served) {
      if (stated !== null)
        this.#passed.push(`Bodies are encrypted to the key in the statement (${shortHash(stated)}).`);
      return;
    }
    throw new Refused(
      "encryption_key",
      `The key for encrypted bodies is ${served ?? "missing"}, and the statement names ${stated ?? "none"}.`,
    );
  }

  async #read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const bytes = await fetchBytes(this.#base + path, this.#fetch, limits);
    const { host } = new URL(this.#base);
    if (bytes === null) throw new CannotVerify(`${host} has no ${path.replace(/\?.*/, "")}.`);
    try {
      return schema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
    } catch {
      throw new CannotVerify(`${host} does not answer ${path.replace(/\?.*/, "")} as Sotto does.`);
    }
  }
}

const keyChanged = (index: number): Refused =>
  new Refused(
    "key_changed",
    `The signing key changed at entry ${index} of the log without a signature of the key before: someone else may run this service.`,
  );

const leafOf = (signed: unknown): Uint8Array => leafHash(new TextEncoder().encode(canonicalJson(signed)));

/** Of a list of key configurations, each with its length in front, or of one without. */
function firstKeyOf(bytes: Uint8Array): string | null {
  const isKem = (at: number) => bytes[at] === 0 && bytes[at + 1] === 0x20;
  const start = [1, 3].find((at) => isKem(at) && bytes.length >= at + 34);
  return start === undefined ? null : bytesToHex(bytes.subarray(start + 2, start + 34));
}

/** What people paste: with or without a scheme, with the base address of the API. */
export function baseOf(address: string): string {
  const text = address.trim();
  const isLocal = /^(localhost|127\.|\[::1\])/.test(text);
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `${isLocal ? "http" : "https"}://${text}`);
    return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  } catch {
    throw new CannotVerify("This is not an address. Give one such as https://sotto.example.");
  }
}
