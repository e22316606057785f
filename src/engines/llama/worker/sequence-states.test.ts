import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tinyLoad, writeTinyGguf } from "../../../../test/support/engines/tiny-gguf.js";
import { loadModel, type LoadedModel } from "./addon.js";
import type { BatchContext, PlainContext } from "./batch-context.js";
import { savesAll, type SequenceStates } from "./sequence-states.js";

describe("saved states", () => {
  const folder = mkdtempSync(join(tmpdir(), "sotto-states-"));
  let model: LoadedModel;
  beforeAll(async () => {
    writeTinyGguf(join(folder, "tiny.gguf"));
    model = await loadModel(tinyLoad(join(folder, "tiny.gguf")));
  });
  afterAll(async () => {
    await model.dispose();
    rmSync(folder, { recursive: true });
  });

  const check = ({ context = {}, states = {}, tokenBytes = model.tokenBytes }: Changes) =>
    savesAll({ ...callsOf(model.context), ...context }, { ...model.states, ...states }, tokenBytes);

  it("are all of a sequence where attention reaches back to the first token", async () => {
    expect(await check({})).toBe(true);
    expect(model.context.getSequenceKvCacheMinPosition(0)).toBe(-1);
  });

  it("are not, where layers with a sliding window are all that is saved", async () => {
    expect(await check({ tokenBytes: model.tokenBytes * 2 })).toBe(false);
  });

  it("are not, where a recurrent state is: it has one size, or cannot be taken back", async () => {
    const save = () => Promise.resolve({ size: 1_000_000, dispose: () => undefined });
    expect(await check({ states: { save, restore: () => Promise.resolve(true) } })).toBe(false);
    expect(await check({ context: { removeTokenCellsFromSequence: () => false } })).toBe(false);
  });

  it("are not used where they fail", async () => {
    expect(await check({ states: { save: () => Promise.reject(new Error("failed")) } })).toBe(false);
    expect(await check({ states: { restore: () => Promise.resolve(false) } })).toBe(false);
  });
});

interface Changes {
  context?: Partial<PlainContext>;
  states?: Partial<SequenceStates>;
  tokenBytes?: number;
}

/** Native methods want their own object. */
const callsOf = (context: BatchContext): PlainContext => ({
  initBatch: (size) => {
    context.initBatch(size);
  },
  addToBatch: (...args) => context.addToBatch(...args),
  decodeBatch: () => context.decodeBatch(),
  disposeSequence: (sequenceId) => {
    context.disposeSequence(sequenceId);
  },
  removeTokenCellsFromSequence: (...args) => context.removeTokenCellsFromSequence(...args),
});
