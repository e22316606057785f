import { describe, expect, it } from "vitest";
import { DashboardError } from "../dashboard-error.js";
import { withBoundedLine } from "./password-line.js";

describe("the line for passwords", () => {
  it("turns away whoever comes when it is full, and lets in the next once there is room", async () => {
    const finish: (() => void)[] = [];
    const slow = {
      hash: () => new Promise<string>((resolve) => finish.push(() => resolve("hash"))),
      verify: async () => Promise.reject(new Error("broken")),
    };
    const line = withBoundedLine(slow, 3);
    const standing = [line.hash("a"), line.hash("b"), line.hash("c")];
    const turnedAway: unknown = await line.hash("d").catch((error: unknown) => error);
    expect(turnedAway).toBeInstanceOf(DashboardError);
    expect(turnedAway).toMatchObject({ code: "unavailable" });

    finish.shift()?.();
    await standing[0];
    // One that fails gives its place back too.
    await expect(line.verify("hash", "e")).rejects.toThrow("broken");
    await expect(line.verify("hash", "e")).rejects.toThrow("broken");
    for (const done of finish) done();
    expect(await Promise.all(standing)).toEqual(["hash", "hash", "hash"]);
  });
});
