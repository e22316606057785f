import { describe, expect, it } from "vitest";
import { fullHourFrom, localInput, momentOf } from "../../web/pages/admin/maintenance/local-time.js";

describe("times of a maintenance window", () => {
  it("survive the round trip through the input", () => {
    const moment = new Date("2026-07-01T13:30:00.000Z");
    expect(momentOf(localInput(moment))).toBe(moment.toISOString());
  });

  it("are null until the input is complete", () => {
    expect(momentOf("")).toBeNull();
  });

  it("begin at a full hour", () => {
    expect(fullHourFrom(Date.parse("2026-07-01T13:05:00Z"), 24).toISOString()).toBe(
      "2026-07-02T14:00:00.000Z",
    );
  });
});
