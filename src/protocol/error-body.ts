import { errorTable, type ErrorCode, type ErrorType, type ServiceError } from "../core/errors.js";

export interface ErrorBody {
  error: { message: string; type: ErrorType; param: string | null; code: ErrorCode };
}

/** The wire form of an error, the same for a response body and for the last event of a broken stream. */
export function errorBody(error: ServiceError): ErrorBody {
  const { type } = errorTable[error.code];
  return { error: { message: error.message, type, param: error.param, code: error.code } };
}
