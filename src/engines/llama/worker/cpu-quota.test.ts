import { describe, expect, it } from "vitest";
import { quotaCores } from "./cpu-quota.js";

const withFiles = (files: Record<string, string>) => quotaCores((path) => files[path]);

describe("CPU quota", () => {
  it("is read from either generation of control groups", () => {
    expect(withFiles({ "/sys/fs/cgroup/cpu.max": "350000 100000" })).toBe(3);
    const first = {
      quota: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
      period: "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
    };
    expect(withFiles({ [first.quota]: "200000", [first.period]: "100000" })).toBe(2);
    expect(withFiles({ [first.quota]: "-1", [first.period]: "100000" })).toBeUndefined();
  });

  it("is one core at least", () => {
    expect(withFiles({ "/sys/fs/cgroup/cpu.max": "50000 100000" })).toBe(1);
  });

  it("is none where there is no limit, no file or nonsense", () => {
    expect(withFiles({ "/sys/fs/cgroup/cpu.max": "max 100000" })).toBeUndefined();
    expect(withFiles({})).toBeUndefined();
    expect(withFiles({ "/sys/fs/cgroup/cpu.max": "" })).toBeUndefined();
  });
});
