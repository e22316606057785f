/** The error for a schema that cannot be enforced. */
import { ServiceError } from "../../core/errors.js";
import type { Path } from "./json-schema/schema.js";

/** The path is made of keywords and positions: nothing that the client wrote is repeated. */
export function schemaRefusal(root: string, path: Path, reason: string): ServiceError {
  const steps = path.slice(0, mostSteps).map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  const param = root + steps.join("");
  return new ServiceError("invalid_value", { message: `Invalid schema at '${param}': ${reason}.`, param });
}

const mostSteps = 32;
