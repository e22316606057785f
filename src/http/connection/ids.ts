/** Ids of requests and completions: random, so that they reveal nothing and cannot be guessed. */
import { randomBase62 } from "../../core/keys/key-format.js";

const length = 28;

export const newRequestId = (): string => `req_${randomBase62(length)}`;
export const newCompletionId = (prefix: string): string => prefix + randomBase62(length);
