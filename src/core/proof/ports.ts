/** The rows of the statement log. */
export interface LogRow {
  /** From 0, without gaps. */
  index: number;
  /** The entry as canonical JSON, byte for byte what its leaf hash covers. */
  body: string;
}

export interface StatementLogStore {
  /** In order, from `from` on, at most `limit`. */
  read(from: number, limit: number): Promise<LogRow[]>;
  /** False, and nothing is written, where there is an entry of that index already: exactly one of many callers wins. */
  append(index: number, at: Date, body: string): Promise<boolean>;
}
