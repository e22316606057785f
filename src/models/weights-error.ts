import { UserError } from "../core/user-error.js";

/** Weights cannot be used. The message is for the operator: which file or setting, why, and what to do. */
export class WeightsError extends UserError {
  override name = "WeightsError";
}
