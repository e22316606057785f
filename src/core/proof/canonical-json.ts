import canonicalize from "canonicalize";

/** The one form of a value that is signed and hashed (RFC 8785). Runs in browsers too. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("This has no JSON.");
  return text;
}
