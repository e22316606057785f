import { describe, expect, it } from "vitest";
import { availableMemory } from "./available-memory.js";

const limitPath = "/sys/fs/cgroup/memory.max";
const statPath = "/sys/fs/cgroup/memory.stat";
const withFiles = (files: Record<string, string>) =>
  availableMemory({ available: () => 1000, read: (path) => files[path] });

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
