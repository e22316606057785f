/** A bug that nothing catches ends the server, and nothing of what the error says is printed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { newDataDir, startSotto, type SottoProcess } from "../support/processes/sotto-process.js";
import { servedBy } from "../support/processes/tiny-sotto.js";

const mark = "VIOLET-CANARY-4471";

let sotto: SottoProcess;
afterEach(async () => {
  sotto.kill("SIGKILL");
  await sotto.exited();
});

const ways = {
  "an exception that nothing catches": `throw Object.assign(new TypeError(mark + "\\n    at " + mark + " (a.js:1:1)", { cause: new Error(mark) }), { detail: mark, code: "EPLANTED" })`,
  "a rejection that nothing handles": `void Promise.reject(new RangeError(mark))`,
  "a rejection with a text": `void Promise.reject(mark)`,
};

describe.each(Object.entries(ways))("%s", (_way, code) => {
  it("is logged without its message, and ends the server with 1", async () => {
    const preload = join(newDataDir(), "plant.mjs");
    writeFileSync(preload, `const mark = process.env.PLANTED; process.on("SIGUSR2", () => { ${code}; });`);
    const weights = join(newDataDir(), "tiny.gguf");
    writeTinyGguf(weights);
    sotto = await startSotto({
      program: ["--import", preload, "dist/main.js", "serve"],
      env: {
        PLANTED: mark,
        ...servedBy(weights),
      },
    });
    sotto.kill("SIGUSR2");
    expect(await sotto.exited()).toBe(1);
    await eventually(() => sotto.output().includes("error: the server ended because of"));
    expect(sotto.output()).toMatch(/"errorClass":"(TypeError|RangeError|string)".*"msg":"unexpected error"/);
    expect(sotto.output()).not.toContain(mark);
  });
});
