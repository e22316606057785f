/**
 * Reading what SCIM clients send (RFC 7643, RFC 7644). Names of attributes and operations compare without regard to case:
 * Entra ID writes `Add`, and booleans as `"False"`. Attributes that this service does not keep are accepted and ignored.
 */
import { DashboardError } from "../../core/dashboard-error.js";

/** The values of an object, by their names in lowercase. */
export type Attributes = ReadonlyMap<string, unknown>;

export interface PatchOperation {
  op: "add" | "replace" | "remove";
  /** Empty where the value names the attributes. */
  path: string;
  value: unknown;
}

const longestText = 300;
const mostOperations = 1_000;

export function attributesOf(value: unknown): Attributes {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidSyntax();
  return new Map(Object.entries(value).map(([name, member]) => [withoutSchema(name).toLowerCase(), member]));
}

export function operationsOf(body: unknown): PatchOperation[] {
  const operations = attributesOf(body).get("operations");
  if (!Array.isArray(operations) || operations.length > mostOperations) throw invalidSyntax();
  return operations.map((given: unknown) => {
    const operation = attributesOf(given);
    const op = String(operation.get("op")).toLowerCase();
    const path = operation.get("path") ?? "";
    if (op !== "add" && op !== "replace" && op !== "remove") throw invalidSyntax();
    if (typeof path !== "string" || path.length > longestText) throw invalidPath();
    return { op, path: withoutSchema(path.trim()), value: operation.get("value") };
  });
}

export function textOf(name: string, value: unknown): string {
  if (
    typeof value === "string" &&
    value.trim() !== "" &&
    value.length <= longestText &&
    !/\p{Cc}/u.test(value)
  )
    return value.trim();
  throw invalidValue(name, `${name} must be text of 1 to ${longestText} characters.`);
}

/** Null for none. */
export const optionalTextOf = (name: string, value: unknown): string | null =>
  value === null || value === undefined || value === "" ? null : textOf(name, value);

export function booleanOf(name: string, value: unknown): boolean {
  const text = String(value).toLowerCase();
  if (text === "true" || text === "false") return text === "true";
  throw invalidValue(name, `${name} must be true or false.`);
}

/** `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
export const withoutSchema = (name: string): string => name.replace(/^urn:.*:(?=[^:]+$)/i, "");

export const invalidPath = (): DashboardError =>
  new DashboardError("bad_request", "This path is not supported.", { field: "path" });

const invalidValue = (field: string, message: string): DashboardError =>
  new DashboardError("bad_request", message, { field });

const invalidSyntax = (): DashboardError =>
  new DashboardError("bad_request", "The request is not a SCIM message.");
