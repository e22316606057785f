import { afterEach, describe, expect, it, vi } from "vitest";
import { generationOf } from "../../../test/contract/engines/engine-contract.js";
import type { ChatMessage } from "../../core/chat/request.js";
import { Affinity } from "./affinity.js";

const message = (role: ChatMessage["role"], content: string): ChatMessage => ({ role, content });

afterEach(() => {
  vi.useRealTimers();
});

describe("affinity", () => {
  const affinity = new Affinity<string>();
  const keyOf = (accountId: string, ...messages: ChatMessage[]) =>
    affinity.keyOf(generationOf("", { accountId, messages }));

  it("knows a conversation again as it grows", () => {
    const begun = [message("system", "Be brief."), message("user", "Hello")];
    const grown = [...begun, message("assistant", "Hi."), message("user", "More")];
    expect(keyOf("a", ...grown)).toBe(keyOf("a", ...begun));
  });

  it("knows a conversation again whatever it may call and however long it may think", () => {
    const tool = { name: "f", description: undefined, parameters: undefined, strict: false };
    const tooling = { tools: [tool], choice: "auto", parallel: true } as const;
    expect(affinity.keyOf(generationOf("Hello", { tooling, reasoningEffort: "low" }))).toBe(
      affinity.keyOf(generationOf("Hello")),
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
    expect(new Affinity().keyOf(generationOf("canary", { accountId: "acc" }))).not.toBe(key);
  });

  it("forgets the oldest past its bound, and all of a place that is gone", () => {
    const places = new Affinity<string>();
    for (let index = 0; index <= 20_000; index++)
      places.set(`k${index}`, "acc", index % 2 === 0 ? "even" : "odd");
    expect(places.find("k0")).toBeUndefined();
    expect(places.find("k1")).toBe("odd");
    places.forget("odd");
    expect(places.find("k1")).toBeUndefined();
    expect(places.find("k20000")).toBe("even");
  });

  it("forgets a conversation ten minutes after its last turn, also when nobody asks", () => {
    vi.useFakeTimers();
    const places = new Affinity<string>();
    places.set("first", "acc", "here");
    vi.advanceTimersByTime(5 * 60_000);
    places.set("first", "acc", "here");
    places.set("second", "acc", "here");
    vi.advanceTimersByTime(5 * 60_000 + 1);
    expect(places.find("first")).toBe("here");
    places.set("third", "acc", "here");
    vi.advanceTimersByTime(5 * 60_000);
    expect(places.size).toBe(1);
    expect(places.find("first")).toBeUndefined();
    vi.advanceTimersByTime(5 * 60_000);
    expect(places.size).toBe(0);
  });

  it("forgets all of an account that was deleted, and nothing of others", () => {
    const places = new Affinity<string>();
    places.set("one", "acc_a", "here");
    places.set("two", "acc_b", "here");
    places.forgetAccount("acc_a");
    expect(places.find("one")).toBeUndefined();
    expect(places.find("two")).toBe("here");
  });

  it("keeps nothing where what was computed is not reused", () => {
    const places = new Affinity<string>({ keeps: false });
    places.set("one", "acc", "here");
    expect(places.size).toBe(0);
  });
});
