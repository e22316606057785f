/** Errors with the names that this API has for its fields. */
import type { ServiceError } from "../../core/errors.js";
import { translateError, type FieldNames } from "../translate-error.js";

const names: FieldNames = [
  [/^messages\b.*/g, "prompt"],
  [/'messages\b[^']*'/g, "'prompt'"],
  [/\bThe messages have\b/g, "The prompt has"],
  [/\bShorten the conversation\b/g, "Shorten the prompt"],
  [/\btop_logprobs\b/g, "logprobs"],
];

export const completionsError = (error: ServiceError): ServiceError => translateError(error, names);
