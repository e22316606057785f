/**
 * Every error the API can answer with, in one table. Code throws `ServiceError(code)`; the status, the
 * type and the default text come from here, and `docs/errors.md` is held to this table by a test.
 *
 * Messages are for people. They name the field and what was expected, and never repeat what a user sent:
 * an error message is the easiest way for private text to reach a log.
 */

export type ErrorType =
  "invalid_request_error" | "authentication_error" | "permission_error" | "rate_limit_error" | "server_error";

interface ErrorEntry {
  status: 400 | 401 | 403 | 404 | 422 | 429 | 500 | 503;
  type: ErrorType;
  /** Shown unless the error has a more specific message. */
  message: string;
  /** For docs/errors.md: when it happens and what the client should do. */
  when: string;
}

const entry =
  (status: ErrorEntry["status"], type: ErrorType) =>
  (message: string, when: string): ErrorEntry => ({ status, type, message, when });
const invalidRequest = entry(400, "invalid_request_error");
const permission = entry(403, "permission_error");
const notFound = entry(404, "invalid_request_error");
const unavailable = entry(503, "server_error");

export const errorTable = {
  invalid_json: invalidRequest(
    "The request body is not valid JSON in UTF-8. Send one JSON object.",
    "The body is malformed JSON, not UTF-8 or nested too deeply, has too many values, or is not an object.",
  ),
  unsupported_content_type: invalidRequest(
    "Send the request body as 'Content-Type: application/json' in UTF-8.",
    "The `Content-Type` header is missing, is not `application/json` or names a charset other than UTF-8, or the body is compressed.",
  ),
  request_too_large: invalidRequest(
    "The request body is larger than this service accepts.",
    "The body is over `SOTTO_BODY_LIMIT_BYTES` without its images, or over `SOTTO_IMAGE_BODY_LIMIT_BYTES` with them.",
  ),
  missing_required_parameter: invalidRequest(
    "A required parameter is missing.",
    "`model`, `messages` or a field of a message is absent.",
  ),
  invalid_type: invalidRequest("A parameter has the wrong type.", "A field holds a value of another type."),
  invalid_value: invalidRequest(
    "A parameter has a value that is not allowed.",
    "A field holds a value outside its set, for example an unknown `role`.",
  ),
  empty_array: invalidRequest("An array that must have items is empty.", "`messages` is empty."),
  array_above_max_length: invalidRequest(
    "An array has too many items.",
    "More than 16 `stop` sequences, or more than 2048 `messages`.",
  ),
  decimal_above_max_value: invalidRequest(
    "A number is above its maximum.",
    "For example `temperature` above 2.",
  ),
  decimal_below_min_value: invalidRequest("A number is below its minimum.", "For example `top_p` below 0."),
  integer_above_max_value: invalidRequest(
    "An integer is above its maximum.",
    "For example `max_tokens` above 2147483647.",
  ),
  integer_below_min_value: invalidRequest(
    "An integer is below its minimum.",
    "For example `max_tokens` below 1.",
  ),
  string_too_short: invalidRequest("A string is too short.", "For example an empty `stop` sequence."),
  unsupported_parameter: invalidRequest(
    "A parameter is not supported by this service.",
    "A field that would change the meaning of the reply and that this service does not implement.",
  ),
  unsupported_value: invalidRequest(
    "A value is not supported by this service.",
    "For example an image in `content` for a model that reads text only, or a part that is neither text nor an image.",
  ),
  context_length_exceeded: invalidRequest(
    "This model's maximum context length is smaller than the prompt.",
    "The prompt does not fit the model's context. Shorten the conversation.",
  ),
  request_exceeds_limit: invalidRequest(
    "This request needs more tokens than its limit ever allows.",
    "Prompt and longest reply exceed a whole limit of tokens, of the plan or the key, per minute, day or month. Lower `max_tokens` or `n`; do not repeat it.",
  ),
  encryption_required: invalidRequest(
    "This service accepts encrypted request bodies only: encrypt them to the key at /.well-known/hpke-keys. See /docs.",
    "The operator requires encrypted bodies, of this account's plan or of everyone, and the request has no `Ehbp-Encapsulated-Key`. The key is at `/.well-known/hpke-keys`; see `docs/encryption.md`.",
  ),
  invalid_encryption: invalidRequest(
    "The encrypted request body cannot be decrypted. Encrypt the request again.",
    "`Ehbp-Encapsulated-Key` is malformed, or the encrypted body is: frames are missing, reordered, changed, or too many.",
  ),
  replayed_request: invalidRequest(
    "This encrypted request was received before. Encrypt each request on its own.",
    "The `Ehbp-Encapsulated-Key` was used before: each is accepted once.",
  ),
  encryption_key_mismatch: entry(422, "invalid_request_error")(
    "The request body was not encrypted to a key of this service. Fetch /.well-known/hpke-keys again.",
    "The key that the body was encrypted to has expired, or is another service's. Only for requests with `Ehbp-Encapsulated-Key`; the body is `application/problem+json` of type `urn:ietf:params:ehbp:error:key-config`.",
  ),
  invalid_api_key: entry(401, "authentication_error")(
    "Missing or invalid API key. Send it as 'Authorization: Bearer <key>' or 'x-api-key: <key>'; keys are issued in the dashboard.",
    "The key is missing, malformed, unknown, expired or revoked, its account is suspended, or two headers have different keys.",
  ),
  insufficient_permissions: permission(
    "This API key does not have permission for this resource.",
    "The key is restricted to other models or operations, or is one for the operator's API.",
  ),
  ip_not_allowed: permission(
    "This API key may not be used from this network address.",
    "The key or its team is restricted to networks, and the request comes from another. Behind a proxy the operator must set `SOTTO_TRUST_PROXY`, or all requests seem to come from it.",
  ),
  unknown_url: notFound(
    "There is no such endpoint. See /docs for the ones that exist.",
    "The path does not exist, or not with this method. The message names the endpoints, and the likely one.",
  ),
  model_not_found: notFound(
    "This model does not exist. The models are omega, prism and lambda, and iota for embeddings where it is offered.",
    "`model` is none of `omega`, `prism`, `lambda` and `iota`, and no alias of one; or it is `iota`, and switched off.",
  ),
  rate_limit_exceeded: entry(429, "rate_limit_error")(
    "Too many requests. Try again later.",
    "A limit of the plan or the key is reached, or has less left than the request needs: requests or tokens per minute, day or month, or concurrent requests. The message says which, its value and when to retry.",
  ),
  internal_error: entry(500, "server_error")(
    "Something went wrong on our side. Try again after a brief pause.",
    "An error of the service. Its line in the operator's log has the id in `x-request-id`.",
  ),
  overloaded: unavailable(
    "The service is at capacity. Try again after the time in Retry-After.",
    "The queue is full, or the request waited in it for too long; or the server has reached its limit of connections or large requests.",
  ),
  maintenance: unavailable(
    "The service is down for scheduled maintenance. See /changelog.",
    "A maintenance window is open, or the server is shutting down.",
  ),
  engine_unavailable: unavailable(
    "The model is not available right now. Try again after the time in Retry-After.",
    "The engine is starting, restarting or failed during this request.",
  ),
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

interface ErrorDetails {
  message?: string;
  /** The invalid field, as a path: `messages[2].role`. */
  param?: string;
  /** Whole seconds; at most 59 when written, unless a retry within the minute is in vain (http/errors.ts). */
  retryAfterSeconds?: number;
  /** False where a retry within the minute is in vain. SDKs are told so, and the seconds are not clamped. */
  shouldRetry?: boolean;
}

/** An error that clients may see. Anything else that is thrown is a bug and is shown as `internal_error`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly shouldRetry: boolean;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? errorTable[code].message);
    this.name = "ServiceError";
    this.code = code;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.shouldRetry = details.shouldRetry ?? true;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}
