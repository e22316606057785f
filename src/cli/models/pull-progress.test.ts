import { describe, expect, it } from "vitest";
import { describeProgress } from "./pull-progress.js";

describe("the progress of a download", () => {
  it("is what has come, how fast, and how long it will take", () => {
    expect(describeProgress(5e8, 2e9, 1e7)).toBe("500 MB of 2.00 GB, 10 MB/s, 3 min left");
    expect(describeProgress(1.99e9, 2e9, 1e7)).toBe("1.99 GB of 2.00 GB, 10 MB/s, 1 s left");
    expect(describeProgress(0, 2e11, 1e6)).toBe("0.0 kB of 200.0 GB, 1.0 MB/s, 55.6 h left");
  });

  it("promises nothing that it cannot know", () => {
    expect(describeProgress(5e8, null, 1e7)).toBe("500 MB, 10 MB/s");
    expect(describeProgress(5e8, 2e9, null)).toBe("500 MB of 2.00 GB");
    expect(describeProgress(5e8, 2e9, 0)).toBe("500 MB of 2.00 GB, 0.0 kB/s");
  });
});
