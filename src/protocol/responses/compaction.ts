/** The replies to requests for a summary: `compaction` items, whose content only their account can send back. */
import type { ReplyChoice, Usage } from "../../core/chat/reply.js";
import { ServiceError } from "../../core/errors.js";
import { joined } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";
import { itemId, type OutputCompaction } from "./output.js";
import { wireUsage } from "./response.js";

/** The reply of `/v1/responses/compact`. */
export function compactedResponse(
  head: Readonly<ReplyHead>,
  { compaction }: ParsedRequest,
  { parts }: ReplyChoice,
  usage: Usage,
): object {
  const summary = joined(parts, "text");
  const kept = (compaction?.kept ?? []).map((text, index) => ({
    id: itemId("message", head.id, index),
    type: "message",
    status: "completed",
    role: "user",
    content: [{ type: "input_text", text }],
  }));
  return {
    id: head.id,
    object: "response.compaction",
    created_at: head.created,
    output: [...kept, compactionItem(head, summary, kept.length)],
    usage: wireUsage(usage),
  };
}

export function compactionItem(head: Readonly<ReplyHead>, summary: string, index: number): OutputCompaction {
  if (head.seal === undefined) throw new Error("There is no key to seal summaries with.");
  if (summary.trim() === "") {
    throw new ServiceError("engine_unavailable", {
      message: "The model wrote no summary of this conversation. Try again, or send a shorter conversation.",
    });
  }
  return {
    id: itemId("compaction", head.id, index),
    type: "compaction",
    encrypted_content: head.seal(summary.trim()),
  };
}
