import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { request } from "./request.js";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { onLine: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Settles only when it is aborted. */
const silent = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });

describe("a request that gets no answer", () => {
  it.each([
    { method: "GET", says: "The service did not answer within 10 seconds. Try again." },
    {
      method: "POST",
      says: "The service did not answer within 20 seconds. Check whether the change was made before you try again.",
    },
  ])("is given up after a while: $method", async ({ method, says }) => {
    vi.stubGlobal("fetch", (_path: string, { signal }: { signal: AbortSignal }) => silent(signal));
    const failure = expect(request(method, "/api/keys")).rejects.toMatchObject({ status: 0, message: says });
    await vi.runAllTimersAsync();
    await failure;
  });

  it("is given up when the answer begins and does not end", async () => {
    vi.stubGlobal("fetch", (_path: string, { signal }: { signal: AbortSignal }) =>
      Promise.resolve({ ok: true, json: () => silent(signal) }),
    );
    const failure = expect(request("GET", "/api/keys")).rejects.toMatchObject({ status: 0 });
    await vi.runAllTimersAsync();
    await failure;
  });

  it("says so when the browser is offline", async () => {
    vi.stubGlobal("navigator", { onLine: false });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(request("POST", "/api/keys")).rejects.toMatchObject({
      message: "You're offline. Check your connection and try again.",
    });
  });
});

it("leaves no timer behind once it is answered", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ keys: [] })));
  await expect(request("GET", "/api/keys")).resolves.toEqual({ keys: [] });
  expect(vi.getTimerCount()).toBe(0);
});
