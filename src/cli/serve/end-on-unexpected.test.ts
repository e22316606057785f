import { describe, expect, it } from "vitest";
import { CloseError } from "../../core/close-all.js";
import { createLog } from "../../log.js";
import { StoreError } from "../../store/store-error.js";
import { withoutMessage } from "./end-on-unexpected.js";

function printed(error: unknown): { message: string; log: string } {
  const lines: string[] = [];
  const shown = withoutMessage(error, createLog("trace", { write: (line) => void lines.push(line) }));
  return { message: shown instanceof Error ? shown.message : String(shown), log: lines.join("") };
}

describe("an error that ends a server which has listened", () => {
  it.each([
    ["a bug", new TypeError("SECRET"), "TypeError"],
    ["several parts that cannot be closed", new CloseError([new RangeError("SECRET")]), "CloseError"],
    ["a text", "SECRET", "string"],
  ])("is printed by its class alone when it is %s", (_what, error, errorClass) => {
    const { message, log } = printed(error);
    expect(message).toContain(`unexpected error (${errorClass})`);
    expect(log).toContain('"msg":"unexpected error"');
    expect(message + log).not.toContain("SECRET");
  });

  it("is printed as it is when it was written for the operator", () => {
    const { message, log } = printed(new StoreError("The database is full", "Make room."));
    expect(message).toBe("The database is full. Make room.");
    expect(log).toBe("");
  });
});
