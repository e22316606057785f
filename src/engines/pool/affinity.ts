/**
 * By what a pool remembers where a conversation is warm: the account and the messages up to the first of the user,
 * which stay the same however long the conversation grows; of a raw prompt, its beginning. Only a keyed hash is kept, with a key that is gone with the
 * process.
 */
import { hash, randomBytes } from "node:crypto";
import type { RawPrompt } from "../../core/chat/request.js";
import type { Generation } from "../../core/serving/engine-port.js";

export function conversationKeys(): (generation: Generation) => string {
  const secret = randomBytes(32).toString("hex");
  return ({ accountId, messages, task, rawPrompt }) => {
    // Nothing of a task is warm anywhere: no two have the same key.
    if (task !== undefined) return randomBytes(16).toString("base64url");
    let prefix = `${secret}${accountId.length}:${accountId}`;
    if (rawPrompt !== undefined) prefix += beginningOf(rawPrompt);
    for (const { role, content } of messages) {
      prefix += `${role}${content.length}:${content}`;
      if (role === "user") break;
    }
    return hash("sha256", prefix, "base64url");
  };
}

/** As much as an editor leaves unchanged while one types further down. */
const beginningLength = 1024;

function beginningOf(prompt: RawPrompt): string {
  if (prompt.type === "tokens") return prompt.tokens.slice(0, beginningLength).join(" ");
  return (prompt.type === "text" ? prompt.text : prompt.prefix).slice(0, beginningLength);
}
