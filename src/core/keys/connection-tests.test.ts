import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import {
  type ArrivedRequest,
  ConnectionTests,
  type OtherReplicas,
  testMs,
  type TestNote,
} from "./connection-tests.js";

const request = (over: Partial<ArrivedRequest> = {}): ArrivedRequest => ({
  atMs: 0,
  client: "claude-code",
  isCompletion: true,
  status: 200,
  code: "none",
  lastFour: "ab12",
  keyProblem: null,
  durationMs: 412,
  firstTokenMs: 100,
  ...over,
});
const wrongKey = request({ status: 401, code: "invalid_api_key", lastFour: null, keyProblem: "unknown" });

describe("a connection test", () => {
  it("notes nothing of an account that has not begun one", () => {
    const tests = new ConnectionTests(new FakeClock());
    expect(tests.isAwaited).toBe(false);
    tests.note("acc_1", "10.0.0.1", request());
    expect(tests.read("acc_1")).toBeNull();
    tests.begin("acc_2", "10.0.0.1");
    tests.note("acc_1", "10.0.0.1", request());
    expect(tests.read("acc_1")).toBeNull();
    expect(tests.read("acc_2")?.requests).toEqual([]);
  });

  it("shows how the account's requests ended, the last twenty, and starts afresh when begun again", () => {
    const tests = new ConnectionTests(new FakeClock());
    tests.begin("acc_1", "10.0.0.1");
    for (let at = 0; at < 30; at++) tests.note("acc_1", "10.9.9.9", request({ atMs: at }));
    expect(tests.read("acc_1")?.requests.map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 10),
    );
    tests.begin("acc_1", "10.0.0.1");
    expect(tests.read("acc_1")?.requests).toEqual([]);
  });

  it("shows a request with a wrong key to those who began from its address only", () => {
    const tests = new ConnectionTests(new FakeClock());
    tests.begin("acc_1", "10.0.0.1");
    tests.begin("acc_2", "10.0.0.2");
    tests.note(null, "10.0.0.1", wrongKey);
    expect(tests.read("acc_1")?.requests).toEqual([wrongKey]);
    expect(tests.read("acc_2")?.requests).toEqual([]);
  });

  it("ends after two minutes and leaves nothing", () => {
    const clock = new FakeClock();
    const tests = new ConnectionTests(clock);
    tests.begin("acc_1", "10.0.0.1");
    clock.advance(testMs - 1);
    expect(tests.read("acc_1")?.leftMs).toBe(1);
    clock.advance(1);
    expect(tests.read("acc_1")).toBeNull();
    expect(tests.isAwaited).toBe(false);
  });

  it("is bounded: the oldest of a thousand gives way", () => {
    const tests = new ConnectionTests(new FakeClock());
    for (let account = 0; account <= 1_000; account++) tests.begin(`acc_${account}`, "10.0.0.1");
    expect(tests.read("acc_0")).toBeNull();
    expect(tests.read("acc_1")).not.toBeNull();
  });

  it("is answered by any replica, whichever the request came to, and no address is sent", () => {
    const listeners: ((note: TestNote) => void)[] = [];
    const sent: TestNote[] = [];
    const replica = (): ConnectionTests => {
      const own = listeners.length;
      const others: OtherReplicas = {
        tell: (note) => {
          sent.push(note);
          listeners.forEach((listener, index) => index !== own && listener(note));
        },
        onNote: (listener) => void listeners.push(listener),
      };
      return new ConnectionTests(new FakeClock(), others);
    };
    const [first, second, third] = [replica(), replica(), replica()];
    first.begin("acc_1", "10.0.0.1");
    expect(second.isAwaited).toBe(true);
    second.note("acc_1", "10.0.0.7", request());
    third.note(null, "10.0.0.1", wrongKey);
    for (const one of [first, second, third]) {
      expect(one.read("acc_1")?.requests).toEqual([request(), wrongKey]);
    }
    expect(JSON.stringify(sent)).not.toContain("10.0.0");
  });
});
