/**
 * Remembers where the beginnings of conversations are warm. The beginning is the account and the messages up to
 * the first of the user, which stay the same however long the conversation grows. Only a keyed hash is kept, with
 * a key that is gone with the process, for a bounded number of conversations, the latest.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Generation } from "../../core/ports.js";

const remembered = 20_000;

export class Affinity<Place> {
  readonly #key = randomBytes(32);
  /** Oldest first. */
  readonly #places = new Map<string, Place>();

  keyOf({ accountId, messages }: Generation): string {
    const hash = createHmac("sha256", this.#key).update(`${accountId.length}:${accountId}`);
    for (const { role, content } of messages) {
      hash.update(`${role}${content.length}:`).update(content);
      if (role === "user") break;
    }
    return hash.digest("base64url");
  }

  find(key: string): Place | undefined {
    return this.#places.get(key);
  }

  set(key: string, place: Place): void {
    this.#places.delete(key);
    this.#places.set(key, place);
    if (this.#places.size <= remembered) return;
    for (const oldest of this.#places.keys()) {
      this.#places.delete(oldest);
      return;
    }
  }

  /** Nothing is warm there any more. */
  forget(place: Place): void {
    for (const [key, at] of this.#places) if (at === place) this.#places.delete(key);
  }
}
