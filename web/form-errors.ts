/** What a refused form shows. That the session ended is not among it: the sign-in dialog says so, until it is over. */
import { ApiError } from "./service/request.ts";

/** The message for one input, when the refusal names it. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError) || error.field !== field) return undefined;
  return error.message;
}

/** The message for the form as a whole: any failure that names none of the inputs shown. */
export function formError(error: unknown, shown: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof ApiError && error.code === "signed_out") return undefined;
  if (error instanceof ApiError && error.field !== undefined && shown.includes(error.field)) return undefined;
  return error instanceof Error ? error.message : "Something went wrong. Try again.";
}
