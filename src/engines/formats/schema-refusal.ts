/** The error for a schema that cannot be enforced. */
import { ServiceError } from "../../protocol/errors.js";
import type { Path } from "./json-schema/schema.js";

const formatSchema = "response_format.json_schema.schema";

/** The path is made of keywords and positions: nothing that the client wrote is repeated. */
export function schemaRefusal(path: Path, reason: string, tool?: number): ServiceError {
  const root = tool === undefined ? formatSchema : `tools[${tool}].function.parameters`;
  const steps = path.slice(0, mostSteps).map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  const param = root + steps.join("");
  return new ServiceError("invalid_value", { message: `Invalid schema at '${param}': ${reason}.`, param });
}

const mostSteps = 32;
