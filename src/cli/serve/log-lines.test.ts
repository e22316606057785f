import { describe, expect, it } from "vitest";
import { createLog, type LogFields } from "../../log.js";
import { logOutput } from "./log-lines.js";

const secret = "CANARY-7f3a";

function written(
  format: "auto" | "text" | "json",
  isTerminal: boolean,
  use: (log: ReturnType<typeof createLog>) => void,
) {
  let text = "";
  use(createLog("trace", logOutput(format, { write: (line) => void (text += line) }, isTerminal)));
  return text;
}
const request = (log: ReturnType<typeof createLog>) => {
  const given: LogFields = {
    method: "POST",
    route: "/v1/chat/completions",
    status: 200,
    model: "omega",
    durationMs: 85.25,
  };
  log.info("request", { ...given, account: secret + " with a space", prompt: secret } as LogFields);
};

describe("log lines", () => {
  it.each([
    ["auto", true, false],
    ["auto", false, true],
    ["json", true, true],
    ["text", false, false],
  ] as const)("%s, on a terminal: %s, are JSON: %s", (format, isTerminal, isJson) => {
    expect(written(format, isTerminal, request).startsWith("{")).toBe(isJson);
  });

  it("for people have the time, the level, the request and the fields of the allowlist, and no content", () => {
    expect(written("text", true, request)).toMatch(
      /^\d\d:\d\d:\d\d info {2}POST \/v1\/chat\/completions 200 {2}model=omega {2}durationMs=85.25\n$/,
    );
  });

  it("of an unexpected error have its class and places, never its message", () => {
    const text = written("text", true, (log) => log.unexpected(new TypeError(secret)));
    expect(text).toMatch(/^\S+ error unexpected error {2}errorClass=TypeError\n {4}at /);
    expect(text).not.toContain(secret);
  });
});
