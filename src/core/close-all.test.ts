import { describe, expect, it } from "vitest";
import { closeAll } from "./close-all.js";

describe("closeAll", () => {
  it("runs all, the last first, and rejects with every error", async () => {
    const closed: string[] = [];
    const closer = (name: string, error?: Error) => async () => {
      closed.push(name);
      if (error !== undefined) throw error;
    };
    const failures = [new Error("one broke"), new Error("three broke")];
    const all = closeAll([closer("one", failures[0]), closer("two"), closer("three", failures[1])]);
    await expect(all).rejects.toMatchObject({
      message: "Not everything could be closed: three broke; one broke",
      errors: [failures[1], failures[0]],
    });
    expect(closed).toEqual(["three", "two", "one"]);
  });

  it("resolves when nothing fails", async () => {
    await expect(closeAll([async () => undefined])).resolves.toBeUndefined();
  });
});
