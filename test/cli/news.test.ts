import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
beforeEach(async () => {
  sotto = await CommandLine.open();
});
afterEach(() => sotto.dispose());

describe("sotto changelog", () => {
  it("publishes entries and lists them, newest first", async () => {
    expect((await sotto.run("changelog", "list")).stdout).toContain("Nothing is published yet.");
    await sotto.run("changelog", "add", "First");
    const made = await sotto.json("changelog", "add", "Second", "--body", "**more**");
    expect(made).toMatchObject({ title: "Second", body: "**more**" });
    expect(await sotto.json("changelog", "list")).toMatchObject([{ title: "Second" }, { title: "First" }]);
    expect((await sotto.run("changelog", "list")).stdout).toMatch(/^PUBLISHED \(UTC\) +TITLE +ID\n/);
  });

  it("takes no empty title", async () => {
    const { code, stderr } = await sotto.run("changelog", "add", "  ");
    expect(code).toBe(1);
    expect(stderr).toContain("The title must have 1 to 200 characters");
  });
});

describe("sotto maintenance", () => {
  const schedule = (from: string, to: string) =>
    sotto.run("maintenance", "schedule", "--from", from, "--to", to, "--title", "New disks");

  it("schedules, lists and ends a window", async () => {
    const { code, stdout } = await schedule("2099-01-31T09:00Z", "2099-01-31 10:00");
    expect(code).toBe(0);
    expect(stdout).toContain("from 2099-01-31 09:00 to 2099-01-31 10:00 UTC");
    const [window] = (await sotto.json("maintenance", "list")) as { id: string; state: string }[];
    expect(window).toMatchObject({ state: "planned", title: "New disks" });
    expect(await sotto.json("maintenance", "end", window?.id ?? "")).toMatchObject({
      state: "called off",
    });
  });

  it("accepts times with a zone, and explains why others are invalid", async () => {
    await schedule("2099-01-31T10:00+02:00", "2099-01-31T10:00Z");
    expect(await sotto.json("maintenance", "list")).toMatchObject([
      { starts_at: "2099-01-31T08:00:00.000Z" },
    ]);
    expect(await schedule("tomorrow", "2099-01-31T10:00Z")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Write a time such as 2026-01-31T09:00Z") as unknown,
    });
    expect(await schedule("2099-02-01T10:00Z", "2099-01-31T10:00Z")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The end must be after the start") as unknown,
    });
    expect(await sotto.run("maintenance", "end", "none")).toMatchObject({
      code: 1,
      stderr: "error: There is no such maintenance window.\n",
    });
  });
});
