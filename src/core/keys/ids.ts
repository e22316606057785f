/** Names of rows: a prefix that says what it names, and enough randomness that nobody can guess another. */
import { randomBase62 } from "./key-format.js";

export const newId = (prefix: "acc" | "key"): string => `${prefix}_${randomBase62(20)}`;
