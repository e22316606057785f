/** `sotto apply` on Postgres, where one transaction must hold all of it, too. */
import { expect, it } from "vitest";
import { openTemporaryPostgresStore } from "../support/stores/postgres.js";
import { apply, createAccounts, expectRoundTrip, secrets } from "./apply-files.js";
import { CommandLine } from "./run.js";

async function openCommandLine() {
  const opened = await openTemporaryPostgresStore();
  const { dataDir } = await CommandLine.open();
  const line = new CommandLine(dataDir, { ...secrets, SOTTO_DATABASE_URL: opened.url });
  await createAccounts(line);
  return {
    line,
    dispose: async () => {
      await line.dispose();
      await opened.dispose();
    },
  };
}

it("applies everything once, and an export of it gives the same on an empty database", async () => {
  const [first, second] = [await openCommandLine(), await openCommandLine()];
  await expectRoundTrip(first.line, second.line);
  await Promise.all([first.dispose(), second.dispose()]);
});

it("changes nothing when a part of it is refused", async () => {
  const { line, dispose } = await openCommandLine();
  const before = await line.json("export");
  const file =
    "plans: { free: { weight: 9 } }\nteams: { R: { planId: none, members: { ada@example.com: owner } } }";
  expect((await apply(line, file, "--yes")).stderr).toContain("2:15: teams.R.planId: There is no such plan.");
  expect(await line.json("export")).toEqual(before);
  await dispose();
});
