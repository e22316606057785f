import { describe, expect, it } from "vitest";
import { createLog } from "./log.js";

function logInto(lines: string[]) {
  return createLog("trace", {
    write: (line: string) => {
      lines.push(line);
    },
  });
}

describe("log", () => {
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
      cause: "SE CRET",
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
