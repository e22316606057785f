import { describe, expect, it } from "vitest";
import { explainFailure, failureOf } from "./redis-failure.js";

const reply = (message: string): Error => Object.assign(new Error(message), { name: "ReplyError" });

describe("an error of Redis", () => {
  it.each([
    ["NOAUTH Authentication required.", "NOAUTH"],
    ["WRONGPASS invalid username-password pair or user is disabled.", "WRONGPASS"],
    ["ERR invalid password", "WRONGPASS"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "OOM"],
    [
      "ERR Error running script (call to f_6b1bf486c81ceb7edf3c): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'.",
      "OOM",
    ],
    ["READONLY You can't write against a read only replica.", "READONLY"],
    ["LOADING Redis is loading the dataset in memory", "LOADING"],
    ["NOPERM this user has no permissions to run the 'eval' command", "NOPERM"],
    ["ERR max number of clients reached", "ERR"],
  ])("that answers '%s' is a refusal", (message, cause) => {
    expect(failureOf(reply(message))).toEqual({ kind: "refusing", cause });
    const { reason, next } = explainFailure("redis://:hunter2@cache:6379/0", { kind: "refusing", cause });
    expect(reason).toContain(`(${cause})`);
    expect(reason).not.toMatch(/reach/);
    expect(next).toMatch(/\.$/);
    expect(reason + next).not.toContain("hunter2");
  });

  it("of the connection is an outage, with the system's code", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(failureOf(refused)).toEqual({ kind: "unreachable", cause: "ECONNREFUSED" });
  });

  it("that says nothing about Redis has no cause", () => {
    expect(failureOf(new Error("Stream isn't writeable and enableOfflineQueue options is false"))).toBeNull();
    expect(failureOf(null)).toBeNull();
  });
});
