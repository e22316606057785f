/** Errors with the names that this API has for its fields. */
import type { ServiceError } from "../../core/errors.js";
import { translateError, type FieldNames } from "../translate-error.js";

/** The longer first: they begin alike. */
const names: FieldNames = [
  [/\bresponse_format\.json_schema\b/g, "text.format"],
  [/\bresponse_format\b/g, "text.format"],
  [/\bmax_tokens or n\b/g, "max_output_tokens"],
  [/\bmax_tokens\b/g, "max_output_tokens"],
  [/(?<=^|')logprobs(?='|$)/g, "top_logprobs"],
  [/\breasoning_effort\b/g, "reasoning.effort"],
  [/\b(tools\[\d+\])\.function\b/g, "$1"],
  [/^messages\b.*/g, "input"],
  [/'messages\b[^']*'/g, "'input'"],
];

export const responsesError = (error: ServiceError): ServiceError => translateError(error, names);
