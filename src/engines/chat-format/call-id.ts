import { randomBytes } from "node:crypto";

/** For a call of a tool, so that its result can name it. */
export const newCallId = (): string => `call_${randomBytes(12).toString("hex")}`;
