/**
 * A map whose keys are several values each. An entry is found value by value: for counts that every request adds to,
 * a string built from the values would cost several times the rest.
 */
export type KeyPart = string | number | null;

/** What is below the first parts of a key. */
interface Branch<Entry> {
  next: Map<KeyPart, Branch<Entry>>;
  entry: Entry | undefined;
}

export class MultiKeyMap<Key extends readonly KeyPart[], Entry> {
  readonly #root: Branch<Entry> = newBranch();
  readonly #entries: (readonly [Key, Entry])[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** In the order in which they were added. */
  entries(): readonly (readonly [Key, Entry])[] {
    return this.#entries;
  }

  values(): Entry[] {
    return this.#entries.map(([, entry]) => entry);
  }

  get(key: Key): Entry | undefined {
    let branch: Branch<Entry> | undefined = this.#root;
    for (const part of key) {
      branch = branch.next.get(part);
      if (branch === undefined) return undefined;
    }
    return branch.entry;
  }

  /** Under a key that has no entry yet. */
  add(key: Key, entry: Entry): void {
    let branch = this.#root;
    for (const part of key) {
      const next = branch.next.get(part) ?? newBranch();
      branch.next.set(part, next);
      branch = next;
    }
    branch.entry = entry;
    this.#entries.push([key, entry]);
  }

  filter(isKept: (entry: Entry) => boolean): MultiKeyMap<Key, Entry> {
    const kept = new MultiKeyMap<Key, Entry>();
    for (const [key, entry] of this.#entries) if (isKept(entry)) kept.add(key, entry);
    return kept;
  }
}

const newBranch = <Entry>(): Branch<Entry> => ({ next: new Map(), entry: undefined });
