/** Which choice of an operator wins, when choices come faster than they can be carried out. */
import { afterEach, describe, expect, it } from "vitest";
import { type Engines, startEngines } from "./engines.js";
import { loadConfig } from "../config.js";
import { systemClock } from "../core/clock.js";
import { modelIds } from "../core/models.js";
import { createLog } from "../log.js";
import { generationOf, never } from "../../test/contract/engines/engine-contract.js";
import { startScriptedUpstream } from "../../test/support/engines/scripted-upstream.js";
import { eventually } from "../../test/support/eventually.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Settings as a store keeps them, whose answers can be held up on their way. */
class Settings {
  chosen = "";
  reads = 0;
  #held: { promise: Promise<void>; release: () => void } | undefined;

  /** What is read from now on arrives when the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => (release = resolve));
    this.#held = { promise, release };
    return release;
  }

  letThrough(): void {
    this.#held = undefined;
  }

  async getSetting(name: string): Promise<string | null> {
    if (!name.startsWith("model.")) return null;
    this.reads += 1;
    const { chosen } = this;
    await this.#held?.promise;
    const upstreams = [{ url: chosen, profile: "vllm" }];
    return JSON.stringify({ type: "upstreams", upstreams });
  }

  async setSetting(): Promise<void> {
    throw new Error("nothing is measured here");
  }

  async initSetting(_: string, value: string): Promise<string> {
    return value;
  }
}

async function start(store: Settings, env: Record<string, string> = {}): Promise<Engines> {
  const engines = await startEngines({
    config: loadConfig({ env }),
    overrides: {},
    store,
    log: createLog("silent"),
    clock: systemClock,
  });
  closers.push(() => engines.fleet.close());
  return engines;
}

async function upstreams() {
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => startScriptedUpstream()));
  if (first === undefined || second === undefined || third === undefined) throw new Error("three servers");
  for (const upstream of [first, second, third]) closers.push(() => upstream.close());
  return [first.url, second.url, third.url] as const;
}

const answering = (engines: Engines) =>
  (["omega", "prism", "lambda"] as const).map((model) =>
    engines
      .members(model)
      .filter(({ note }) => note === "")
      .map(({ id }) => id),
  );
const all = (url: string) => [[url], [url], [url]];

describe("of two choices in a row", () => {
  it("the later one wins, though the earlier one takes longer to read", async () => {
    const [first, second, third] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    const engines = await start(store);
    expect(answering(engines)).toEqual(all(first));

    const release = store.hold();
    const reads = store.reads;
    store.chosen = second;
    const earlier = engines.follow();
    await eventually(() => store.reads > reads);
    const readByEarlier = store.reads;
    store.letThrough();
    store.chosen = third;
    const later = engines.follow();
    await new Promise((resolve) => setImmediate(resolve));
    // The worst case: one that does not wait for its turn is through before the earlier one goes on.
    if (store.reads > readByEarlier) await later;
    release();
    await Promise.all([earlier, later]);
    expect(answering(engines)).toEqual(all(third));
  });

  it("those that wait are read once, for all of them", async () => {
    const [first, second] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    const engines = await start(store);
    const release = store.hold();
    const reads = store.reads;
    const follows = [engines.follow()];
    await eventually(() => store.reads > reads);
    store.letThrough();
    store.chosen = second;
    follows.push(...Array.from({ length: 10 }, () => engines.follow()));
    release();
    await Promise.all(follows);
    expect(answering(engines)).toEqual(all(second));
    // Once by the first, once by all that waited for it.
    expect(store.reads - reads).toBe(2 * modelIds.length);
  });
});

it("a choice that was made while the first engines were prepared is followed", async () => {
  const [first, second] = await upstreams();
  const store = new Settings();
  store.chosen = first;
  const engines = await start(store);
  store.chosen = second;
  await engines.catchUp();
  expect(answering(engines)).toEqual(all(second));
});

describe("the model that embeds", () => {
  it("is off where the configuration says so, and is in nobody's way", async () => {
    const [first] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    const engines = await start(store, { SOTTO_MODELS_IOTA_WEIGHTS: "off" });
    await eventually(() => engines.fleet.status("omega").state === "ready");
    expect(engines.fleet.status("iota").state).toBe("off");
    expect(engines.isReady()).toBe(true);
    expect(engines.fleet.sharers().flat()).toEqual(["omega", "prism", "lambda"]);
    expect(engines.partsOf("iota")).toEqual([]);
  });

  it("comes with Sotto, and costs nothing until it is asked for", async () => {
    const [first] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    const env = { SOTTO_MODELS_IOTA_WEIGHTS: "starter", SOTTO_DATA_DIR: "/nonexistent" };
    const engines = await start(store, env);
    await engines.fleet.ready();
    expect(engines.fleet.status("iota")).toMatchObject({
      state: "asleep",
      contextTokens: 512,
      follows: { tasks: ["embed"] },
    });
    expect(engines.memoryBytes("iota")).toBe(0);
    expect(engines.partsOf("iota")).toEqual([
      { runs: "embedded", path: "/nonexistent/models/all-minilm-l6-v2-f16.gguf" },
    ]);
  });

  it("is down, with the reason, where its file cannot be created", async () => {
    const [first] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    // No folder can be created there.
    const engines = await start(store, {
      SOTTO_MODELS_IOTA_WEIGHTS: "starter",
      SOTTO_DATA_DIR: "/proc/sotto",
    });
    const task = { type: "embed", inputs: ["text"], dimensions: undefined } as const;
    const asked = engines.fleet.prepare(generationOf("", { model: "iota", task }), never());
    await expect(asked).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(engines.fleet.status("iota")).toMatchObject({ state: "down", problem: { cause: "NOT_BUILT" } });
  });

  it("does not make the service unready when it is unreachable", async () => {
    const [first] = await upstreams();
    const store = new Settings();
    store.chosen = first;
    const gone = [{ url: "http://127.0.0.1:9/v1", profile: "vllm" }];
    const engines = await start(store, { SOTTO_MODELS_IOTA_UPSTREAMS: JSON.stringify(gone) });
    await eventually(() => engines.fleet.status("omega").state === "ready");
    expect(engines.fleet.status("iota").state).not.toBe("ready");
    expect(engines.isReady()).toBe(true);
  });
});
