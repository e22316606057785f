import { describe, expect, it } from "vitest";
import { generationOf } from "../../../test/contract/engines/engine-contract.js";
import type { ChatMessage } from "../../core/chat/request.js";
import { conversationKeys } from "./affinity.js";

const message = (role: ChatMessage["role"], content: string): ChatMessage => ({ role, content });

describe("affinity", () => {
  const keyOfGeneration = conversationKeys();
  const keyOf = (accountId: string, ...messages: ChatMessage[]) =>
    keyOfGeneration(generationOf("", { accountId, messages }));

  it("knows a conversation again as it grows", () => {
    const begun = [message("system", "Be brief."), message("user", "Hello")];
    const grown = [...begun, message("assistant", "Hi."), message("user", "More")];
    expect(keyOf("a", ...grown)).toBe(keyOf("a", ...begun));
  });

  it("knows a conversation again whatever it may call and however long it may think", () => {
    const tool = { name: "f", description: undefined, parameters: undefined, strict: false };
    const tooling = { tools: [tool], choice: "auto", parallel: true } as const;
    expect(keyOfGeneration(generationOf("Hello", { tooling, reasoningEffort: "low" }))).toBe(
      keyOfGeneration(generationOf("Hello")),
    );
  });

  it("tells accounts, system messages and beginnings apart, also where their texts join alike", () => {
    const keys = [
      keyOf("a", message("user", "Hello")),
      keyOf("b", message("user", "Hello")),
      keyOf("a", message("system", "x"), message("user", "Hello")),
      keyOf("a", message("system", "xuser5:"), message("user", "Hello")),
      keyOf("a", message("user", "Hell")),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("keeps nothing that can be read, and nothing that another process would know", () => {
    const key = keyOf("acc", message("user", "canary"));
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(conversationKeys()(generationOf("canary", { accountId: "acc" }))).not.toBe(key);
  });
});
