/** A page of rows, the newest first. */
export interface StoredRows {
  /** As they are, but for hashes, which are named and not shown. */
  rows: Record<string, string | number | null>[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** What is stored about an account: the rows themselves, by table, secrets left out; the first page of each. */
export interface StoredAboutMe {
  exportedAt: string;
  tables: ({ name: string; why: string } & StoredRows)[];
}
