/** Errors in the shape of this API: its own types and names of fields, in the statuses of the one table. */
import { errorTable, type ErrorCode, type ServiceError } from "../../core/errors.js";
import { translateError, type FieldNames } from "../translate-error.js";

type WireErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "not_found_error"
  | "rate_limit_error"
  | "api_error"
  | "overloaded_error";

/** A conversation that the service would keep between turns. */
export const threadParam = "thread";

export interface MessagesError {
  type: "error";
  error: { type: WireErrorType; message: string; details?: { error_code: "thread_unsupported_request" } };
  /** Absent in a stream, whose header has it. */
  request_id?: string;
}

export const messagesError = (error: ServiceError, requestId?: string): MessagesError => ({
  type: "error",
  error: {
    type: wireType(error.code),
    message: translateError(error, names).message,
    // The SDK's tool runner asks for a thread first. By this code it knows to send whole conversations instead.
    ...(error.param === threadParam ? { details: { error_code: "thread_unsupported_request" } } : {}),
  },
  ...(requestId === undefined ? {} : { request_id: requestId }),
});

function wireType(code: ErrorCode): WireErrorType {
  if (code === "overloaded") return "overloaded_error";
  switch (errorTable[code].status) {
    case 400:
    case 422:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 500:
    case 503:
      return "api_error";
  }
}

/** The longer first: they begin alike. */
const names: FieldNames = [
  [/response_format\.json_schema\.schema/g, "output_config.format.schema"],
  [/response_format/g, "output_config.format"],
  [/reasoning_effort/g, "thinking"],
  [/(tools\[\d+\])\.function\.parameters/g, "$1.input_schema"],
  [/max_tokens or n\b/g, "max_tokens"],
];
