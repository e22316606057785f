import { describe, expect, it } from "vitest";
import { forEachModel, modelIds, type ModelId } from "../../core/models.js";
import { mapModels, readMapping, sameSource } from "./mapping.js";
import { describeSource, modelSourceSchema } from "./source.js";

const open = forEachModel(() => ({ weights: undefined }));
const nothing = () => null;
const starter = { type: "source", source: { type: "starter" }, from: "default" };
const embeddingStarter = { type: "source", source: { type: "embedding-starter" }, from: "default" };
const upstreams = {
  type: "upstreams",
  upstreams: [{ url: "http://gpu1:8000/v1", profile: "vllm", key: "k-1" }],
};

describe("what answers for a model", () => {
  it("is the starter when nobody chose", () => {
    expect(mapModels(open, nothing)).toEqual({
      omega: starter,
      prism: starter,
      lambda: starter,
      iota: embeddingStarter,
    });
    expect(mapModels(open, () => "").omega).toEqual(starter);
  });

  it("has a draft model beside a file, and nowhere else", () => {
    const configured = (weights: string | undefined) =>
      mapModels({ ...open, omega: { weights, draft: "/models/small.gguf" } }, nothing).omega;
    const source = { type: "weights", path: "/models/big.gguf", draft: "/models/small.gguf" } as const;
    expect(configured("/models/big.gguf")).toEqual({ type: "source", source, from: "configuration" });
    expect(describeSource(source)).toBe("/models/big.gguf (drafted)");
    for (const weights of [undefined, "starter"])
      expect(configured(weights)).toMatchObject({ type: "unreadable" });
  });

  it("is what was stored, each model for itself", () => {
    const rows: Record<ModelId, string | null> = {
      omega: JSON.stringify({ type: "weights", path: "/models/a.gguf" }),
      prism: JSON.stringify(upstreams),
      lambda: null,
      iota: JSON.stringify({ type: "off" }),
    };
    const mapping = mapModels(open, (model) => rows[model]);
    expect(mapping.omega).toEqual({
      type: "source",
      source: { type: "weights", path: "/models/a.gguf" },
      from: "setting",
    });
    expect(mapping.prism).toMatchObject({ source: { upstreams: [{ profile: "vllm", key: "k-1" }] } });
    expect(mapping.lambda).toEqual(starter);
    expect(mapping.iota).toMatchObject({ source: { type: "off" }, from: "setting" });
  });

  it("is what the configuration gives, whatever is stored", () => {
    const stored = () => JSON.stringify({ type: "weights", path: "/models/a.gguf" });
    const fixed = {
      ...open,
      prism: { weights: "./b.gguf" },
      lambda: { weights: "starter" },
      iota: { weights: "starter" },
    };
    expect(mapModels(fixed, stored)).toMatchObject({
      omega: { source: { path: "/models/a.gguf" }, from: "setting" },
      prism: { source: { type: "weights", path: "./b.gguf" }, from: "configuration" },
      lambda: { source: { type: "starter" }, from: "configuration" },
      iota: { source: { type: "embedding-starter" }, from: "configuration" },
    });
  });

  it("is nothing where the configuration says so, for a model that need not be there", () => {
    const off = { ...open, omega: { weights: "off" }, iota: { weights: "off" } };
    expect(mapModels(off, nothing)).toMatchObject({
      omega: { source: { type: "weights", path: "off" } },
      iota: { source: { type: "off" }, from: "configuration" },
    });
  });

  it.each([
    "{",
    "7",
    "null",
    '{"type":"magic"}',
    '{"type":"weights"}',
    '{"type":"upstreams","upstreams":[]}',
  ])("is not guessed at when the row is %s", (row) => {
    expect(mapModels(open, () => row).omega).toMatchObject({ type: "unreadable" });
  });

  it("is read from the settings of the models", async () => {
    const asked: string[] = [];
    await readMapping({ getSetting: async (name) => (asked.push(name), null) }, open);
    expect(asked).toEqual(modelIds.map((model) => `model.${model}`));
  });
});

describe("sources", () => {
  it("are the same when everything in them is", () => {
    const [a, b] = [modelSourceSchema.parse(upstreams), modelSourceSchema.parse({ ...upstreams })];
    expect(sameSource(a, b)).toBe(true);
    expect(sameSource(a, { type: "starter" })).toBe(false);
    const other = modelSourceSchema.parse({
      ...upstreams,
      upstreams: [{ url: "http://gpu1:8000/v1", profile: "vllm" }],
    });
    expect(sameSource(a, other)).toBe(false);
  });

  it("are described without their keys", () => {
    expect(describeSource(modelSourceSchema.parse(upstreams))).toBe("http://gpu1:8000/v1");
  });
});
