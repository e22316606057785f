import { describe, expect, it } from "vitest";
import { connectionLimit } from "./connection-limit.js";

const limitOf = (openFiles: number, wanted?: number, reserved = 0) =>
  connectionLimit({ openFiles, wanted, reserved, howToRaise: "Raise it." });

describe("the limit of connections", () => {
  it("leaves two files for each connection, one for each refusal, and a reserve", () => {
    for (const openFiles of [512, 1_024, 4_096, 20_000]) {
      const { connections, refusals } = limitOf(openFiles);
      expect(connections * 2 + refusals).toBeLessThanOrEqual(openFiles - 96 + 1);
      expect(connections).toBeGreaterThan(openFiles / 4);
      expect(refusals).toBeGreaterThan(0);
    }
  });

  it("is 16384 where files are no matter, and says nothing of it", () => {
    for (const openFiles of [1_048_576, Infinity]) {
      expect(limitOf(openFiles)).toEqual({ connections: 16_384, refusals: 1_024, notice: null });
    }
  });

  it("keeps what other parts hold", () => {
    expect(limitOf(512, undefined, 100).connections).toBeLessThan(limitOf(512).connections);
  });

  it("is what the operator set, as long as there is a file for each", () => {
    expect(limitOf(20_000, 12_000)).toMatchObject({ connections: 12_000, notice: null });
    expect(limitOf(20_000, 5)).toMatchObject({ connections: 5, notice: null });
    const short = limitOf(1_000, 12_000);
    expect(short.connections + short.refusals).toBeLessThan(1_000 - 90);
    expect(short.notice).toContain("1000 files");
  });

  it("tells the operator when it is low, and what to do", () => {
    const { connections, notice } = limitOf(512);
    expect(notice).toContain(`at most ${connections} connections`);
    expect(notice).toContain("Raise it.");
  });
});
