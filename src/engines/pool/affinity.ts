/**
 * By what a pool remembers where a conversation is warm: the account and the messages up to the first of the user,
 * which stay the same however long the conversation grows. Only a keyed hash is kept, with a key that is gone with the
 * process.
 */
import { hash, randomBytes } from "node:crypto";
import type { Generation } from "../../core/serving/engine-port.js";

export function conversationKeys(): (generation: Generation) => string {
  const secret = randomBytes(32).toString("hex");
  return ({ accountId, messages, task }) => {
    // Nothing of a task is warm anywhere: no two have the same key.
    if (task !== undefined) return randomBytes(16).toString("base64url");
    let prefix = `${secret}${accountId.length}:${accountId}`;
    for (const { role, content } of messages) {
      prefix += `${role}${content.length}:${content}`;
      if (role === "user") break;
    }
    return hash("sha256", prefix, "base64url");
  };
}
