import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { startProgress } from "../../../bin/start-progress.js";

/** What is written to a terminal, or to a log. */
function output(isTTY: boolean) {
  let written = "";
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 200,
    cursorTo: () => true,
    clearLine: () => true,
  });
  stream.on("data", (bytes: Buffer) => {
    written += bytes.toString();
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => written };
}

it("writes plain lines where nobody looks at a terminal", async () => {
  const { stream, text } = output(false);
  const progress = await startProgress("0.6 GB", stream);
  for (const done of [0, 1, 2, 3]) progress.build(done, 3);
  progress.handOver();
  for (const done of [0, 50, 100]) progress.weights(done, 100);
  progress.notice("Something was done again.");
  expect(text()).toBe(
    "Building Sotto (once after each change) ...\nPreparing the starter weights (0.6 GB, once) ...\nSomething was done again.\n",
  );
});

it("draws one bar from the build to the port, which never goes back", async () => {
  const { stream, text } = output(true);
  const build = await startProgress("", stream);
  for (const done of [0, 1, 2, 3]) build.build(done, 3);
  build.handOver();
  const serve = await startProgress("0.6 GB", stream);
  for (const done of [0, 50, 100]) serve.weights(done, 100);
  const percents = [...text().matchAll(/ (\d+)% /g)].map(([, percent]) => Number(percent));
  expect(percents.at(0)).toBe(0);
  expect(percents.at(-1)).toBe(100);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(text()).toContain("preparing the starter weights (0.6 GB)");
});

it("shows nothing when there is nothing to wait for", async () => {
  const { stream, text } = output(true);
  const progress = await startProgress("0.6 GB", stream);
  progress.stop();
  expect(text()).toBe("");
});
