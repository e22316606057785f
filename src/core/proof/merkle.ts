/**
 * The Merkle tree of RFC 6962 (section 2.1), and the two proofs about it. The tree keeps the hash of every complete
 * subtree, so a root or a proof takes a number of hashes that grows with the logarithm of its size. Runs in browsers
 * too: it checks there what it proves here.
 */
import { sha256 } from "@noble/hashes/sha2.js";

type Hash = Uint8Array;

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

export const leafHash = (leaf: Uint8Array): Hash => sha256.create().update(leafPrefix).update(leaf).digest();

const nodeHash = (left: Hash, right: Hash): Hash =>
  sha256.create().update(nodePrefix).update(left).update(right).digest();

export class MerkleTree {
  /** `levels[k][i]` is the root of the leaves from `i * 2^k` on, `2^k` of them. */
  readonly #levels: Hash[][] = [[]];

  /** As another tree of that `size` goes on, from its `frontier`. It has no proofs about those leaves. */
  constructor(size = 0, frontier: readonly Hash[] = []) {
    let known = frontier.length;
    for (let level = 0, left = size; left > 0; level++, left = half(left)) {
      const hashes = this.#level(level);
      hashes.length = left;
      const root = left % 2 === 1 ? frontier[--known] : undefined;
      if (root !== undefined) hashes[left - 1] = root;
    }
    if (known !== 0) throw new RangeError("These are not the roots of that many leaves.");
  }

  get size(): number {
    return this.#level(0).length;
  }

  append(leaf: Hash): void {
    let hash = leaf;
    for (let level = 0; ; level++) {
      const hashes = this.#level(level);
      hashes.push(hash);
      if (hashes.length % 2 === 1) return;
      hash = nodeHash(hashes[hashes.length - 2] ?? hash, hash);
    }
  }

  leaf(index: number): Hash {
    return this.#complete(0, index);
  }

  /** The roots of the complete subtrees that the leaves consist of, largest first: enough to append to a tree. */
  get frontier(): Hash[] {
    return this.#levels.flatMap((hashes) => (hashes.length % 2 === 1 ? hashes.slice(-1) : [])).reverse();
  }

  /** Of the first `size` leaves. */
  root(size = this.size): Hash {
    requireWithin(size, this.size);
    return size === 0 ? sha256(new Uint8Array()) : this.#rootOf(0, size);
  }

  /** That the leaf at `index` is among the first `size`. */
  inclusionProof(index: number, size: number): Hash[] {
    requireWithin(size, this.size);
    requireWithin(index, size - 1);
    return this.#path(index, 0, size);
  }

  /** That the first `second` leaves begin with the first `first`. Empty where there is nothing to prove. */
  consistencyProof(first: number, second: number): Hash[] {
    requireWithin(second, this.size);
    requireWithin(first, second);
    return first === 0 || first === second ? [] : this.#subproof(first, 0, second, true);
  }

  #path(index: number, start: number, size: number): Hash[] {
    if (size === 1) return [];
    const half = largestPowerBelow(size);
    return index < half
      ? [...this.#path(index, start, half), this.#rootOf(start + half, size - half)]
      : [...this.#path(index - half, start + half, size - half), this.#rootOf(start, half)];
  }

  #subproof(first: number, start: number, size: number, isWhole: boolean): Hash[] {
    if (first === size) return isWhole ? [] : [this.#rootOf(start, size)];
    const half = largestPowerBelow(size);
    return first <= half
      ? [...this.#subproof(first, start, half, isWhole), this.#rootOf(start + half, size - half)]
      : [...this.#subproof(first - half, start + half, size - half, false), this.#rootOf(start, half)];
  }

  #rootOf(start: number, size: number): Hash {
    const level = Math.log2(size);
    if (Number.isInteger(level) && start % size === 0) return this.#complete(level, start / size);
    const half = largestPowerBelow(size);
    return nodeHash(this.#rootOf(start, half), this.#rootOf(start + half, size - half));
  }

  #complete(level: number, index: number): Hash {
    const hash = this.#levels[level]?.[index];
    if (hash === undefined) throw new RangeError("The tree has no such leaf.");
    return hash;
  }

  #level(level: number): Hash[] {
    return (this.#levels[level] ??= []);
  }
}

/** A tree as its log names it. */
interface Head {
  size: number;
  root: Hash;
}

/** Whether `proof` leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function isIncluded(leaf: Hash, index: number, { size, root }: Head, proof: readonly Hash[]): boolean {
  if (index >= size) return false;
  let hash = leaf;
  const reachesTop = climb([index, size - 1], proof, (sibling, isLeft) => {
    hash = isLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
  });
  return reachesTop && isSame(hash, root);
}

/** Whether the second tree begins with all of the first (RFC 9162, section 2.1.4.2). */
export function isConsistent(first: Head, second: Head, proof: readonly Hash[]): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && isSame(first.root, second.root);
  if (first.size === 0) return proof.length === 0;
  const path = Number.isInteger(Math.log2(first.size)) ? [first.root, ...proof] : proof;
  let [at, last] = [first.size - 1, second.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [old, now] = [start, start];
  const reachesTop = climb([at, last], rest, (sibling, isLeft) => {
    if (isLeft) old = nodeHash(sibling, old);
    now = isLeft ? nodeHash(sibling, now) : nodeHash(now, sibling);
  });
  return reachesTop && isSame(old, first.root) && isSame(now, second.root);
}

/** From the node at `at` of a level that ends with `last`, whether the siblings lead to the top. */
function climb(
  [at, last]: [number, number],
  siblings: readonly Hash[],
  join: (sibling: Hash, isLeft: boolean) => void,
): boolean {
  for (const sibling of siblings) {
    if (last === 0) return false;
    const isLeft = at % 2 === 1 || at === last;
    join(sibling, isLeft);
    if (isLeft) while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0;
}

const isSame = (a: Hash, b: Hash): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

const half = (value: number): number => Math.floor(value / 2);

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function requireWithin(value: number, most: number): void {
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw new RangeError("The tree is not that large.");
}
