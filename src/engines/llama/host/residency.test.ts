import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.js";
import { FakeClock } from "../../../../test/support/inputs/fake-clock.js";
import { Residency, type Resident } from "./residency.js";

const idleMs = 60_000;
const waitMs = 10_000;
const wanted = () => true;

/** A model of some size that is in use, or has been idle since a time. */
class FakeModel implements Resident {
  readonly size;
  inUse = true;
  usedMs = 0;
  unloads = 0;

  constructor(
    private readonly residency: Residency,
    workingBytes: number,
    private readonly clock: FakeClock,
  ) {
    this.size = { weightsBytes: 0, workingBytes };
  }

  isLoaded(): boolean {
    return false;
  }

  idleSinceMs(): number | null {
    return this.inUse ? null : this.usedMs;
  }

  async unload(): Promise<void> {
    this.unloads += 1;
    this.residency.release(this);
  }

  finish(): void {
    this.inUse = false;
    this.usedMs = this.clock.monotonicMs();
  }

  load(): Promise<boolean> {
    return this.residency.admit(this, wanted);
  }
}

const models: { residency: Residency; model: FakeModel }[] = [];
afterEach(() => {
  for (const { residency, model } of models.splice(0)) residency.release(model);
});

/** With memory for models of 100 bytes. */
function start() {
  const clock = new FakeClock();
  const availableBytes = () => 100 / 0.9 + 0.01;
  const residency = new Residency({ clock, idleMs, waitMs, availableBytes, pollMs: 5 });
  const model = (bytes: number) => {
    const made = new FakeModel(residency, bytes, clock);
    models.push({ residency, model: made });
    return made;
  };
  return { clock, residency, model };
}

describe("room for a model", () => {
  it("is there while all fit, to the last byte", async () => {
    const { model } = start();
    const [first, second] = [model(60), model(40)];
    expect(await first.load()).toBe(true);
    expect(await second.load()).toBe(true);
    expect(first.unloads + second.unloads).toBe(0);
  });

  it("is made by unloading the least recently used one that is idle, and no more than that", async () => {
    const { clock, model } = start();
    const [first, second, third, comer] = [model(30), model(30), model(30), model(30)];
    for (const one of [first, second, third]) await one.load();
    for (const one of [second, first, third]) {
      clock.advance(1000);
      one.finish();
    }
    clock.advance(1000);
    expect(await comer.load()).toBe(true);
    expect([first.unloads, second.unloads, third.unloads]).toEqual([0, 1, 0]);
  });

  it("is never made of one that is in use, nor of one that was a moment ago", async () => {
    const { clock, model } = start();
    const [busy, recent, comer] = [model(50), model(50), model(50)];
    await busy.load();
    await recent.load();
    recent.finish();
    clock.advance(999);
    let isIn = false;
    const loading = comer.load().then(() => (isIn = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIn).toBe(false);
    expect(recent.unloads).toBe(0);
    clock.advance(1);
    await loading;
    expect([busy.unloads, recent.unloads]).toEqual([0, 1]);
  });

  it("is waited for: idle ones stay when they would not make enough", async () => {
    const { clock, model } = start();
    const [busy, idle, comer] = [model(60), model(30), model(90)];
    await busy.load();
    await idle.load();
    idle.finish();
    clock.advance(5000);
    const loading = comer.load();
    await new Promise((resolve) => setImmediate(resolve));
    expect(idle.unloads).toBe(0);
    busy.finish();
    clock.advance(1000);
    expect(await loading).toBe(true);
    expect([busy.unloads, idle.unloads]).toEqual([1, 1]);
  });

  it("is refused when the wait is over, with a time to retry", async () => {
    const { clock, model } = start();
    const [busy, comer] = [model(60), model(60)];
    await busy.load();
    const refused = expect(comer.load()).rejects.toMatchObject({
      code: "overloaded",
      retryAfterSeconds: expect.any(Number) as number,
    });
    clock.advance(waitMs);
    await refused;
    expect(busy.unloads).toBe(0);
    // What was refused holds nothing.
    expect(await model(40).load()).toBe(true);
  });

  it("is given in the order of asking", async () => {
    const { clock, model } = start();
    const [busy, large, small] = [model(60), model(60), model(40)];
    await busy.load();
    const order: string[] = [];
    const loads = [
      large.load().then(() => order.push("large")),
      small.load().then(() => order.push("small")),
    ];
    busy.finish();
    clock.advance(1000);
    await Promise.all(loads);
    expect(order).toEqual(["large", "small"]);
  });

  it("is not taken for one that nobody wants any more", async () => {
    const { residency, model } = start();
    const [busy, comer] = [model(60), model(60)];
    await busy.load();
    let isWanted = true;
    const loading = residency.admit(comer, () => isWanted);
    isWanted = false;
    expect(await loading).toBe(false);
    expect(await model(40).load()).toBe(true);
  });

  it("is all there is for one that is too large for the machine", async () => {
    const { clock, model } = start();
    const [small, huge] = [model(10), model(1000)];
    await small.load();
    small.finish();
    clock.advance(1000);
    expect(await huge.load()).toBe(true);
    expect(small.unloads).toBe(1);
  });
});

describe("a model that nobody uses", () => {
  it("is unloaded after its time, and not before", async () => {
    const { clock, model } = start();
    const [idle, busy, used] = [model(10), model(10), model(10)];
    for (const one of [idle, busy, used]) await one.load();
    idle.finish();
    clock.advance(1);
    used.finish();
    clock.advance(idleMs - 1);
    // All are looked at together.
    await eventually(() => idle.unloads === 1);
    expect([busy.unloads, used.unloads]).toEqual([0, 0]);
    clock.advance(1);
    await eventually(() => used.unloads === 1);
    expect(busy.unloads).toBe(0);
  });
});

describe("memory", () => {
  it("counts what loaded models have allocated, not what is mapped from files", async () => {
    const { clock } = start();
    let available = 1000;
    const residency = new Residency({ clock, idleMs, waitMs, availableBytes: () => available });
    const loaded: Resident = {
      size: { weightsBytes: 500, workingBytes: 200 },
      isLoaded: () => available < 1000,
      idleSinceMs: () => null,
      unload: async () => undefined,
    };
    await residency.admit(loaded, wanted);
    expect(residency.memoryBytes).toBe(1000);
    available = 800;
    expect(residency.memoryBytes).toBe(1000);
    residency.release(loaded);
    expect(residency.memoryBytes).toBe(800);
  });
});
