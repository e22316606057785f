/**
 * Errors that engines and limits raise name the fields of chat completions. A client of this API knows them by other
 * names, and would look in vain for those.
 */
import { ServiceError } from "../errors.js";

/** The longer first: they begin alike. */
const names: readonly (readonly [RegExp, string])[] = [
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

export function inOwnTerms(error: ServiceError): ServiceError {
  const { code, param, retryAfterSeconds, shouldRetry } = error;
  if (param === null) return error;
  return new ServiceError(code, {
    message: renamed(error.message),
    param: renamed(param),
    shouldRetry,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

const renamed = (text: string): string =>
  names.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
