/** Secrets, which the file has as references only. Nothing prints one: JSON and diffs show that there is one. */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Path, Reading } from "./section.js";

export class Secret {
  readonly #value: string;
  /** Makes two of them comparable. */
  readonly digest: string;

  constructor(value: string) {
    this.#value = value;
    this.digest = createHash("sha256").update(value).digest("hex");
  }

  get value(): string {
    return this.#value;
  }

  toJSON(): string {
    return "(secret)";
  }
}

/** A reference that leads nowhere, such as to a variable that is not set. */
export class MissingSecret {
  constructor(readonly reason: string) {}
}

export const secretField = z.custom<Secret>(
  (value) => value instanceof Secret,
  "Write a secret as a reference: { env: NAME } or { file: path }.",
);

export function isSecretPlace(path: Path): boolean {
  const [section, , field, , last] = path;
  if (section === "providers") return path.length === 3 && field === "clientSecret";
  return section === "models" && path.length === 5 && field === "engines" && last === "key";
}

/** Without a value to be had, the secret stays what it is; there must be one. */
export function keptSecret(
  given: unknown,
  before: Secret | null | undefined,
  path: Path,
  reading: Reading,
): unknown {
  if (!(given instanceof MissingSecret)) return given;
  if (before instanceof Secret) reading.note(`${path.join(".")} stays as it is: ${given.reason}.`);
  else reading.problem(path, `There is no secret to keep: ${given.reason}.`);
  return before ?? null;
}
