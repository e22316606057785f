import { describe, expect, it } from "vitest";
import type { ArrivedRequest } from "../../../../src/core/keys/connection-tests.js";
import { type Tested, verdictOf } from "./connection-verdict.ts";

const tested: Tested = {
  client: { name: "Claude Code", family: "claude-code" },
  key: "sk-sotto-EXAMPLEab12",
  model: "omega",
  baseUrl: "https://chat.example.com/v1",
};
const ok: ArrivedRequest = {
  atMs: 10_000,
  client: "claude-code",
  isCompletion: true,
  status: 200,
  code: "none",
  lastFour: "ab12",
  keyProblem: null,
  durationMs: 2_345,
  firstTokenMs: 412,
};
const listing: ArrivedRequest = { ...ok, isCompletion: false, firstTokenMs: null };
const failed = (over: Partial<ArrivedRequest>): ArrivedRequest => ({ ...ok, firstTokenMs: null, ...over });
const wrongKey = failed({ status: 401, code: "invalid_api_key", lastFour: null, keyProblem: "malformed" });
const verdict = (...requests: ArrivedRequest[]) => verdictOf(requests, tested);

describe("the verdict of a connection test", () => {
  it("is that the client is connected, with the time of its first request", () => {
    expect(verdict(ok)).toEqual({ type: "connected", text: "Connected, 412 ms to the first token." });
    expect(verdict({ ...ok, firstTokenMs: null }).text).toBe("Connected, 2345 ms.");
  });

  it.each([
    [wrongKey, /^401: .*not a key of Sotto/],
    [{ ...wrongKey, keyProblem: "missing" as const }, /^401: .*sent no key/],
    [{ ...wrongKey, keyProblem: "unknown" as const }, /^401: .*revoked/],
    [failed({ status: 404, code: "model_not_found" }), /^404: .*Set it to omega/],
    [failed({ status: 404, code: "unknown_url" }), /^404: .*https:\/\/chat\.example\.com\/v1/],
    [failed({ status: 404, lastFour: null }), /^404: .*https:\/\/chat\.example\.com\/v1/],
    [failed({ status: 400, code: "context_length_exceeded" }), /longer than the model’s context/],
    [failed({ status: 400, code: "request_exceeds_limit" }), /^400 request_exceeds_limit: This request/],
    [failed({ status: 403, code: "insufficient_permissions" }), /^403: /],
    [failed({ status: 429, code: "rate_limit_exceeded" }), /^429 rate_limit_exceeded: /],
    [failed({ status: 200, code: "engine_unavailable" }), /^503 engine_unavailable: /],
    [failed({ status: 499 }), /closed the connection/],
  ])("says what was wrong with %j", (request, text) => {
    const { type, text: said } = verdict(request);
    expect(type).toBe("failed");
    expect(said).toMatch(text);
  });

  it("is of the last request, but a failure beside a success counts", () => {
    expect(verdict(wrongKey, { ...ok, atMs: 60_000 }).type).toBe("connected");
    const tooLong = failed({ status: 400, code: "context_length_exceeded" });
    expect(verdict(tooLong, { ...ok, atMs: tooLong.atMs + 200 }).type).toBe("failed");
  });

  it("waits while only the models were listed, or others called, and says so", () => {
    expect(verdict()).toEqual({
      type: "waiting",
      text: "Waiting for the first request of Claude Code with the key …ab12. Start it and send a message.",
    });
    expect(verdict(listing).text).toContain("the key works");
    expect(verdict({ ...ok, lastFour: "zz99" }).text).toContain("with another key, …zz99");
    expect(verdict({ ...ok, client: "curl" }).text).toContain("from another client");
  });

  it("takes any request of the account where neither key nor client is known", () => {
    const open = { ...tested, client: { name: "n8n" }, key: null };
    expect(verdictOf([{ ...ok, client: "other" }], open).type).toBe("connected");
  });
});
