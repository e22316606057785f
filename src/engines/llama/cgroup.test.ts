import { describe, expect, it } from "vitest";
import { availableMemory, quotaCores } from "./cgroup.js";

const limitPath = "/sys/fs/cgroup/memory.max";
const statPath = "/sys/fs/cgroup/memory.stat";
const withFiles = (files: Record<string, string>) => availableMemory((path) => files[path], 1000);

describe("available memory", () => {
  it("has what a container's files take in the page cache", () => {
    const stat = "anon 7\nfile 90\ninactive_file 60\nactive_file 25\ninactive_anon 4\n";
    expect(withFiles({ [limitPath]: "5000\n", [statPath]: stat })).toBe(1085);
  });

  it("is never more than the container's limit", () => {
    const stat = "inactive_file 6000\nactive_file 0\n";
    expect(withFiles({ [limitPath]: "5000\n", [statPath]: stat })).toBe(5000);
  });

  it("is what the system says where the container has no limit, or there is none", () => {
    const stat = "inactive_file 60\nactive_file 25\n";
    expect(withFiles({ [limitPath]: "max\n", [statPath]: stat })).toBe(1000);
    expect(withFiles({ [statPath]: stat })).toBe(1000);
    expect(withFiles({ [limitPath]: "5000\n" })).toBe(1000);
  });
});

const quotaWith = (files: Record<string, string>) => quotaCores((path) => files[path]);

describe("CPU quota", () => {
  it("is read from either generation of control groups", () => {
    expect(quotaWith({ "/sys/fs/cgroup/cpu.max": "350000 100000" })).toBe(3);
    const first = {
      quota: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
      period: "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
    };
    expect(quotaWith({ [first.quota]: "200000", [first.period]: "100000" })).toBe(2);
    expect(quotaWith({ [first.quota]: "-1", [first.period]: "100000" })).toBeUndefined();
  });

  it("is one core at least", () => {
    expect(quotaWith({ "/sys/fs/cgroup/cpu.max": "50000 100000" })).toBe(1);
  });

  it("is none where there is no limit, no file or nonsense", () => {
    expect(quotaWith({ "/sys/fs/cgroup/cpu.max": "max 100000" })).toBeUndefined();
    expect(quotaWith({})).toBeUndefined();
    expect(quotaWith({ "/sys/fs/cgroup/cpu.max": "" })).toBeUndefined();
  });
});
