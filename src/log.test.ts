import { afterEach, describe, expect, it, vi } from "vitest";
import { causeOf, createLog } from "./log.js";

function logInto(lines: string[]) {
  return createLog("trace", {
    write: (line: string) => {
      lines.push(line);
    },
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("log", () => {
  it("prints the time to the millisecond, also of a clock that is set back", () => {
    const lines: string[] = [];
    vi.useFakeTimers();
    const times = ["2026-01-31T23:59:59.007Z", "2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00.000Z"];
    for (const time of [...times, ...times.toReversed()]) {
      vi.setSystemTime(new Date(time));
      logInto(lines).info("request");
    }
    const printed = lines.map((line) => (JSON.parse(line) as { time: string }).time);
    expect(printed).toEqual([...times, ...times.toReversed()]);
  });

  it("prints allowed fields only, and only with values of their kind", () => {
    const lines: string[] = [];
    const smuggled = {
      requestId: "req_1",
      prompt: "SECRET",
      model: "SECRET",
      status: "SECRET",
      route: "SE CRET",
      gpuError: "SECRET CUDA error: out of memory",
      gpuFailure: "SECRET",
      loadError: "SECRET llama_model_load: error",
      cause: "SECRET words",
      engine: "SE CRET",
    };
    logInto(lines).info("request", { ...smuggled, durationMs: 5 });
    const line = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    expect(line).toMatchObject({ requestId: "req_1", durationMs: 5, msg: "request" });
    expect(lines.join("")).not.toContain("SE");
  });

  it("prints what a GPU's library said, known by how it begins, on one bounded line", () => {
    const lines: string[] = [];
    const log = logInto(lines);
    const gpuError = "CUDA error: no kernel image is available for execution on the device";
    log.warn("gpu not used", { gpu: "cuda", gpuError });
    log.warn("gpu not used", { gpu: "cuda", gpuError: `${gpuError}\nSECRET` });
    log.warn("gpu not used", { gpu: "cuda", gpuError: `${gpuError}${"SECRET".repeat(40)}` });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ gpuError });
    expect(lines.join("")).not.toContain("SECRET");
  });

  it("reports an unexpected error by class and place, without its message", () => {
    const lines: string[] = [];
    logInto(lines).unexpected(new TypeError("SECRET\n    at SECRET (file.js:1:1)"));
    const line = JSON.parse(lines[0] ?? "") as { errorClass: string; at: string[] };
    expect(line.errorClass).toBe("TypeError");
    expect(line.at.length).toBeGreaterThan(0);
    expect(lines.join("")).not.toContain("SECRET");
  });

  it("names the cause of an error by its code", () => {
    const lines: string[] = [];
    const log = logInto(lines);
    log.warn("database unavailable", { cause: "28P01" });
    const refused = Object.assign(new Error("SECRET"), { code: "ECONNREFUSED" });
    log.unexpected(new Error("SECRET", { cause: refused }));
    expect(lines.map((line) => (JSON.parse(line) as { cause?: string }).cause)).toEqual([
      "28P01",
      "ECONNREFUSED",
    ]);
    expect(lines.join("")).not.toContain("SECRET");
  });

  it("keeps an error whose message is not in its stack silent", () => {
    const lines: string[] = [];
    const error = new Error("one");
    error.stack = "Error: one\n    at SECRET (file.js:1:1)";
    error.message = "another";
    logInto(lines).unexpected(error);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ errorClass: "Error", at: [] });
    expect(lines.join("")).not.toContain("SECRET");
  });
});

describe("the cause of an error", () => {
  const withFields = (message: string, fields: object) => Object.assign(new Error(message), fields);

  it.each([
    ["an errno", withFields("no", { code: "EACCES" }), "EACCES"],
    ["a SQLSTATE", withFields("no", { code: "28P01" }), "28P01"],
    [
      "the prefix of a Redis error",
      withFields("NOAUTH Authentication required.", { name: "ReplyError" }),
      "NOAUTH",
    ],
    ["the HTTP status of a server", withFields("no", { statusCode: 503 }), "HTTP_503"],
    [
      "the first of several",
      new AggregateError([withFields("no", { code: "ECONNREFUSED" })]),
      "ECONNREFUSED",
    ],
    ["nothing of a message", new Error("SECRET"), undefined],
    ["nothing that is not a code", withFields("no", { code: "secret words" }), undefined],
    ["nothing of what is no error", "SECRET", undefined],
  ])("is %s", (_what, error, cause) => {
    expect(causeOf(error)).toBe(cause);
  });

  it("is found in a circle of causes, too", () => {
    const error = new Error("one");
    error.cause = error;
    expect(causeOf(error)).toBeUndefined();
  });
});
