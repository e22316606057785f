import { describe, expect, it } from "vitest";
import { Arrivals } from "./arrivals.js";

describe("arrivals", () => {
  it("counts a prompt from its preparation until it is started", async () => {
    const arrivals = new Arrivals(() => 0);
    let finish = () => {};
    const preparing = arrivals.prepare(() => new Promise<void>((resolve) => (finish = resolve)));
    expect(arrivals.count).toBe(1);
    finish();
    await preparing;
    expect(arrivals.count).toBe(1);
    arrivals.started();
    expect(arrivals.count).toBe(0);
  });

  it("expects no longer what was prepared and did not come back", async () => {
    let nowMs = 0;
    const arrivals = new Arrivals(() => nowMs);
    await arrivals.prepare(() => Promise.resolve());
    nowMs = 19;
    expect(arrivals.count).toBe(1);
    nowMs = 21;
    expect(arrivals.count).toBe(0);
  });

  it("counts what was started without being prepared as nothing", async () => {
    const arrivals = new Arrivals(() => 0);
    arrivals.started();
    await arrivals.prepare(() => Promise.resolve());
    expect(arrivals.count).toBe(1);
  });

  it("expects one whose preparation failed no longer than others", async () => {
    let nowMs = 0;
    const arrivals = new Arrivals(() => nowMs);
    await expect(arrivals.prepare(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    nowMs = 21;
    expect(arrivals.count).toBe(0);
  });
});
