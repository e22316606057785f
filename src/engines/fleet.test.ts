import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import {
  type Generation,
  type GenerationEvent,
  nothingKeptByEngine,
  type PreparedGeneration,
} from "../core/serving/engine-port.js";
import { FairQueue } from "../core/serving/fair-queue.js";
import { noSource } from "./absent-engine.js";
import { type Assignments, type EngineSource, Fleet } from "./fleet.js";
import {
  collect,
  generationOf,
  never,
  replyTo,
  startReply,
} from "../../test/contract/engines/engine-contract.js";
import { FakeEngine } from "../../test/support/engines/fake-engine.js";
import { eventually } from "../../test/support/eventually.js";

class Ship extends FakeEngine {
  closed = 0;
  /** Prepares nothing until it is resolved. */
  preparing: { promise: Promise<void>; resolve: () => void } | undefined;

  override async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    await this.preparing?.promise;
    this.#requireOpen();
    return super.prepare(generation, signal);
  }

  override async *generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[]> {
    this.#requireOpen();
    yield* super.generate(prepared, signal);
  }

  override async close(): Promise<void> {
    this.closed += 1;
    this.preparing?.resolve();
    await super.close();
  }

  #requireOpen(): void {
    if (this.closed > 0) throw new ServiceError("engine_unavailable");
  }
}

/** Until it is resolved, the engine is busy preparing. */
function holdPreparing({ ships }: { ships: Ship[] }): () => void {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  const [ship] = ships;
  if (ship !== undefined) ship.preparing = { promise, resolve };
  return resolve;
}

let fleet: Fleet | undefined;
afterEach(() => fleet?.close());

/** A source whose engine says its name; `ready` decides how its start goes. */
function source(key: string, ready: () => Promise<void> = async () => undefined) {
  const ships: Ship[] = [];
  const start = () => {
    const ship = new Ship({ capacity: key.length });
    ship.script = () => ({ fragments: ["I am ", key] });
    ships.push(ship);
    return { engine: ship, ready };
  };
  return { key, start, ships } satisfies EngineSource & { ships: Ship[] };
}

function launch(first: Omit<Assignments, "iota">, drainMs = 60_000): Fleet {
  fleet = new Fleet(
    { ...first, iota: noSource },
    {
      newQueue: (places) =>
        new FairQueue({
          capacity: () => places().capacity,
          maxLength: 9,
          maxWaitMs: 1_000,
          clock: systemClock,
        }),
      clock: systemClock,
      drainMs,
      readyMs: 5_000,
    },
  );
  return fleet;
}

const says = async (engine: Fleet, model: "omega" | "prism" | "lambda") =>
  (await replyTo(engine, generationOf("Hi", { model }))).text;

describe("a fleet of engines", () => {
  it("starts each source once and asks the engine of the model", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: b });
    await engine.ready();
    expect([a.ships.length, b.ships.length]).toEqual([1, 1]);
    expect(await says(engine, "prism")).toBe("I am a");
    expect(await says(engine, "lambda")).toBe("I am bb");
    expect(engine.queueOf("omega")).toBe(engine.queueOf("prism"));
    expect(engine.queueOf("omega")).not.toBe(engine.queueOf("lambda"));
    expect(engine.status("lambda").capacity).toBe(2);
  });

  it("switches a model over, and closes an engine that nobody uses", async () => {
    const [a, b, c] = [source("a"), source("bb"), source("ccc")];
    const engine = launch({ omega: a, prism: a, lambda: b });
    await engine.assign({ omega: a, prism: c, lambda: c });
    expect(await Promise.all([says(engine, "omega"), says(engine, "prism"), says(engine, "lambda")])).toEqual(
      ["I am a", "I am ccc", "I am ccc"],
    );
    await eventually(() => b.ships[0]?.closed === 1);
    expect([a.ships[0]?.closed, c.ships.length]).toEqual([0, 1]);
  });

  it("lets a stream finish on the engine it began on", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: a });
    a.ships[0]?.hold();
    a.ships[0]?.release(1);
    const slot = await engine.queueOf("omega").enter({ accountId: "acc", cost: 1, places: 1 }, never());
    const { events } = await startReply(engine, generationOf("Hi"));
    await engine.assign({ omega: b, prism: b, lambda: b });
    expect(await says(engine, "omega")).toBe("I am bb");
    a.ships[0]?.release();
    const rest: string[] = [];
    for await (const event of events) if (event.type === "text") rest.push(event.text);
    expect(rest).toEqual(["a"]);
    expect(a.ships[0]?.closed).toBe(0);
    slot.leave(1);
    await eventually(() => a.ships[0]?.closed === 1);
  });

  it("has every engine forget a deleted account, those that finish what they have included", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: a });
    const slot = await engine.queueOf("omega").enter({ accountId: "acc", cost: 1, places: 1 }, never());
    await engine.assign({ omega: b, prism: b, lambda: b });
    a.ships[0]?.kept.set("acc", { ...nothingKeptByEngine, conversations: { count: 1, lastMs: 5 } });
    b.ships[0]?.kept.set("acc", {
      conversations: { count: 2, lastMs: 3 },
      routes: { count: 1, lastMs: 9 },
      isElsewhere: true,
    });
    expect(await engine.keptOf("acc")).toEqual({
      conversations: { count: 3, lastMs: 5 },
      routes: { count: 1, lastMs: 9 },
      isElsewhere: true,
    });
    engine.forgetAccount("acc");
    expect([a.ships[0]?.forgotten, b.ships[0]?.forgotten]).toEqual([["acc"], ["acc"]]);
    slot.leave(1);
  });

  it("runs a generation on the engine that prepared it", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: a });
    const prepared = await engine.prepare(generationOf("Hi"), never());
    await engine.assign({ omega: b, prism: b, lambda: b });
    expect((await collect(engine.generate(prepared, never()))).text).toBe("I am a");
  });

  it("finishes what an engine is preparing before it is closed", async () => {
    const [a, b, idle] = [source("a"), source("bb"), source("idle")];
    const engine = launch({ omega: a, prism: a, lambda: idle });
    const goOn = holdPreparing(a);
    const prepared = engine.prepare(generationOf("Hi"), never());
    await engine.assign({ omega: b, prism: b, lambda: b });
    // By then this one would have been closed too.
    await eventually(() => idle.ships[0]?.closed === 1);
    goOn();
    expect((await collect(engine.generate(await prepared, never()))).text).toBe("I am a");
    await eventually(() => a.ships[0]?.closed === 1);
  });

  it("fails requests that are being prepared when it closes", async () => {
    const a = source("a");
    const engine = launch({ omega: a, prism: a, lambda: a });
    holdPreparing(a);
    const refused = expect(engine.prepare(generationOf("Hi"), never())).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    await engine.close();
    await refused;
  });

  it("keeps the old engine when the new one cannot be had, and says why", async () => {
    const [a, b] = [source("a"), source("bb")];
    const bad = source("bad", () => Promise.reject(new Error("not enough memory")));
    const engine = launch({ omega: a, prism: a, lambda: a });
    const reasons = await engine.assign({ omega: bad, prism: b });
    expect([...reasons]).toEqual([["omega", "not enough memory"]]);
    expect(await says(engine, "omega")).toBe("I am a");
    expect(await says(engine, "prism")).toBe("I am bb");
    expect(await says(engine, "lambda")).toBe("I am a");
    await eventually(() => bad.ships[0]?.closed === 1);
  });

  it("rejects when a first engine cannot be started", async () => {
    const bad = source("bad", () => Promise.reject(new Error("no such file")));
    await expect(launch({ omega: bad, prism: bad, lambda: bad }).ready()).rejects.toThrow("no such file");
  });

  it("closes an engine whose replies do not end within the drain time", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: a }, 300);
    await engine.queueOf("omega").enter({ accountId: "acc", cost: 1, places: 1 }, never());
    await engine.assign({ omega: b, prism: b, lambda: b });
    await eventually(() => a.ships[0]?.closed === 1);
  });

  it("closes every engine once", async () => {
    const [a, b] = [source("a"), source("bb")];
    const engine = launch({ omega: a, prism: a, lambda: b });
    await engine.close();
    expect([a.ships[0]?.closed, b.ships[0]?.closed]).toEqual([1, 1]);
  });
});
