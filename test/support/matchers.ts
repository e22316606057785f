/** Vitest's matchers, with a type that does not switch type checking off around them. */
import { expect } from "vitest";

export const anyString: unknown = expect.any(String);
export const anyNumber: unknown = expect.any(Number);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const textWith = (part: string): unknown => expect.stringContaining(part);
