import { afterEach, describe, expect, it } from "vitest";
import type { ServiceError } from "../errors.js";
import { MaintenanceGate, type MaintenanceWindow } from "./maintenance-gate.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";

const minuteMs = 60_000;
const clock = () => new FakeClock(new Date("2030-01-01T09:00:00Z"));
const windowAt = (from: string, to: string, changes: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: from,
  title: "New disks",
  body: "",
  startsAt: new Date(`2030-01-01T${from}:00Z`),
  endsAt: new Date(`2030-01-01T${to}:00Z`),
  endedAt: null,
  publishedAt: new Date(0),
  updatedAt: new Date(0),
  ...changes,
});

let gate: MaintenanceGate | undefined;
afterEach(() => gate?.close());

function open(time: FakeClock, list: () => MaintenanceWindow[], drainMs = 2 * minuteMs) {
  const ended: ServiceError[] = [];
  gate = new MaintenanceGate({
    listCurrentWindows: async () => list(),
    clock: time,
    drainMs,
    endRunning: (reason) => ended.push(reason),
    pollMs: 3_600_000,
  });
  return { gate, ended };
}

describe("the maintenance gate", () => {
  it("lets everything through when nothing is scheduled", async () => {
    const { gate } = open(clock(), () => []);
    await gate.refresh();
    expect([gate.refusal(), gate.announcement()]).toEqual([null, null]);
  });

  it("announces the next window, refuses from its first moment to its last, and opens by itself", async () => {
    const time = clock();
    const { gate } = open(time, () => [windowAt("10:00", "11:00"), windowAt("12:00", "13:00")]);
    await gate.refresh();
    expect(gate.refusal()).toBeNull();
    expect(gate.announcement()).toBe("2030-01-01T10:00:00Z/2030-01-01T11:00:00Z");

    time.advance(60 * minuteMs);
    expect(gate.refusal()).toMatchObject({ code: "maintenance", retryAfterSeconds: 59 });
    expect(gate.refusal()?.message).toContain("until 2030-01-01T11:00:00Z");
    time.advance(59.5 * minuteMs);
    expect(gate.refusal()).toMatchObject({ retryAfterSeconds: 30 });
    time.advance(0.5 * minuteMs);
    expect(gate.refusal()).toBeNull();
    expect(gate.announcement()).toBe("2030-01-01T12:00:00Z/2030-01-01T13:00:00Z");
  });

  it("ends with the command that ends it", async () => {
    const time = clock();
    let listed = [windowAt("08:00", "11:00")];
    const { gate } = open(time, () => listed);
    await gate.refresh();
    expect(gate.refusal()).not.toBeNull();
    listed = [];
    await gate.refresh();
    expect(gate.refusal()).toBeNull();
  });

  it("gives running replies the drain time, and no more", async () => {
    const time = clock();
    const { gate, ended } = open(time, () => [windowAt("09:01", "11:00")]);
    await gate.refresh();
    time.advance(2 * minuteMs);
    await gate.refresh();
    expect(ended).toEqual([]);
    time.advance(minuteMs);
    await gate.refresh();
    expect(ended).toMatchObject([{ code: "maintenance" }]);
  });

  it("keeps the windows it knew when the store is unreachable", async () => {
    const time = clock();
    let unreachable = false;
    const { gate } = open(time, () => {
      if (unreachable) throw new Error("no store");
      return [windowAt("09:30", "10:00")];
    });
    await gate.refresh();
    unreachable = true;
    await gate.refresh();
    expect(gate.refusal()).toBeNull();
    time.advance(31 * minuteMs);
    expect(gate.refusal()).not.toBeNull();
  });
});
