/** What a refused form shows. That the session ended is not among it: the sign-in dialog says so, until it is over. */
import { ApiError } from "./service/request.ts";

/** The message for one input, when the refusal names it. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof Error && fieldOf(error) === field ? error.message : undefined;
}

/** The message for the form as a whole: any failure that names none of the inputs shown. */
export function formError(error: unknown, shown: readonly string[] = []): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof Error)) return "Something went wrong. Try again.";
  if (error instanceof ApiError && error.code === "signed_out") return undefined;
  return shown.includes(fieldOf(error) ?? "") ? undefined : error.message;
}

const fieldOf = (error: Error & { field?: unknown }): string | undefined =>
  typeof error.field === "string" ? error.field : undefined;
