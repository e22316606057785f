/**
 * Errors that engines and limits raise name the fields of chat completions. Clients of another API know them by other
 * names.
 */
import { ServiceError } from "../core/errors.js";

/** From a name in chat completions to the API's own, applied in this order. */
export type FieldNames = readonly (readonly [pattern: RegExp, name: string])[];

export function translateError(error: ServiceError, names: FieldNames): ServiceError {
  const { code, param, retryAfterSeconds, shouldRetry } = error;
  if (param === null) return error;
  const renamed = (text: string): string =>
    names.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
  return new ServiceError(code, {
    message: renamed(error.message),
    param: renamed(param),
    shouldRetry,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
