/** Ids of rows: a prefix for the kind, and enough randomness that they cannot be guessed. */
import { randomBase62 } from "./key-format.js";

export const newId = (prefix: "acc" | "key" | "idn" | "team"): string => `${prefix}_${randomBase62(20)}`;
