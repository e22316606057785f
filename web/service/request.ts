/**
 * One request to the service. It has a time limit, so that pages never wait forever, and it is always sent:
 * `navigator.onLine` is only used to explain a failure, since a service on this machine is reachable without a
 * network. A refusal and a missing response are both thrown as `ApiError`.
 */
import type { DashboardErrorBody } from "../../src/protocol/dashboard/api.js";
import type { DashboardErrorCode } from "../../src/core/dashboard-error.js";

/** Longer than the service takes for anything that is not a stream. A read that fails is tried once more. */
const readLimitMs = 10_000;
const changeLimitMs = 20_000;

export class ApiError extends Error {
  readonly code: DashboardErrorCode;
  /** 0 when no answer came. */
  readonly status: number;
  /** The input in error, by its name in the request body. */
  readonly field: string | undefined;
  /** The service's retry-after. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: DashboardErrorCode,
    message: string,
    status: number,
    field?: string,
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export async function request(method: string, path: string, body?: object): Promise<unknown> {
  const limitMs = method === "GET" ? readLimitMs : changeLimitMs;
  const limit = new AbortController();
  // Not AbortSignal.timeout: its clock cannot be moved by a test.
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: limit.signal,
    });
    if (response.ok) return await response.json();
    throw await refusal(response);
  } catch (error) {
    throw error instanceof ApiError ? error : noAnswer(method, limit.signal.aborted ? limitMs : null);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of a response, also when its body is not ours (a proxy's page, an empty body). */
export async function refusal(response: Response): Promise<ApiError> {
  const { status } = response;
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const body = (await response.json().catch(() => null)) as Partial<DashboardErrorBody> | null;
  if (body?.error === undefined) {
    return new ApiError(
      "internal",
      `The service answered with status ${status}.`,
      status,
      undefined,
      retryAfter,
    );
  }
  return new ApiError(body.error.code, body.error.message, status, body.error.field, retryAfter);
}

/** Undefined without the header, and for a date, which the service never sends. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** A change may have been made although the response is missing; the message has to say so. */
function noAnswer(method: string, exceededMs: number | null): ApiError {
  const retry = method === "GET" ? "Try again." : "Check whether the change was made before you try again.";
  if (exceededMs !== null) {
    const seconds = exceededMs / 1_000;
    return new ApiError("unavailable", `The service did not answer within ${seconds} seconds. ${retry}`, 0);
  }
  return new ApiError("unavailable", connectionFailure(`Could not reach the service. ${retry}`), 0);
}

/** The message for a failed connection: that the browser is offline, if it knows. */
export function connectionFailure(otherwise: string): string {
  return navigator.onLine ? otherwise : "You're offline. Check your connection and try again.";
}
