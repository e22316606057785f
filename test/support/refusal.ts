import { ServiceError } from "../../src/core/errors.js";

/** What `call` is refused with. Anything else that it throws fails the test. */
export function refusalOf(call: () => unknown): ServiceError {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
