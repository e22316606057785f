/** Errors as Ollama writes them: a sentence. */
import type { ServiceError } from "../../core/errors.js";
import { translateError, type FieldNames } from "../translate-error.js";

export const ollamaError = (error: ServiceError) => ({
  error: translateError(error, names).message,
});

/** The longer first: they begin alike. */
const names: FieldNames = [
  [/\bresponse_format(?:\.json_schema(?:\.schema)?)?/g, "format"],
  [/\bmax_tokens or n\b/g, "options.num_predict"],
  [/\bmax_tokens\b/g, "options.num_predict"],
  [/\breasoning_effort\b/g, "think"],
];
