import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, it } from "vitest";
import { tinyLoad, writeTinyGguf } from "../../../../test/support/engines/tiny-gguf.js";
import { withTimeLimit } from "../../../core/time-limit.js";
import { loadModel } from "./addon.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-addon-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

it("a model can be disposed of after the collection of what nothing refers to", async () => {
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights);
  const model = await loadModel(tinyLoad(weights, { sequences: 1 }));
  for (let round = 0; round < 3; round++) {
    await sleep(0);
    collectGarbage();
  }
  await expect(withTimeLimit(model.dispose(), 10_000)).resolves.toBeUndefined();
});
