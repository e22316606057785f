export type DashboardErrorCode =
  | "bad_request"
  | "signed_out"
  | "forbidden"
  /** It was too long ago that someone proved who they are. */
  | "confirmation_required"
  /** The account must have a second factor first. */
  | "factor_required"
  | "not_found"
  | "conflict"
  | "throttled"
  | "limit_reached"
  | "unavailable"
  | "internal";

interface ErrorDetails {
  /** The invalid input, by its name in the request. */
  field?: string;
  retryAfterSeconds?: number;
}

/** A request to the dashboard that is refused. The message is for the person who made it. */
export class DashboardError extends Error {
  readonly code: DashboardErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: DashboardErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "DashboardError";
    this.code = code;
    this.field = details.field;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** About one input of the request. */
export const invalid = (field: string, message: string): DashboardError =>
  new DashboardError("bad_request", message, { field });

/** What was looked for. Throws `not_found` where there is none. */
export function existing<T>(found: T | null | undefined, message: string): T {
  if (found == null) throw new DashboardError("not_found", message);
  return found;
}
