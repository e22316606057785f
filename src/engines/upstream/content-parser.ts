import type { Tooling } from "../../protocol/chat.js";
import type { ReplyParser } from "../formats/replies/reply-events.js";

export function contentParser(_tooling: Tooling | undefined): ReplyParser | null {
  return null;
}
