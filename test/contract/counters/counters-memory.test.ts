import { systemClock } from "../../../src/core/ports.js";
import { MemoryCounter, MemoryLeases } from "../../../src/store/counters/memory-counter.js";
import { describeCounterContract } from "./counter.js";
import { describeLeaseContract } from "./leases.js";

describeCounterContract("Memory", async () => {
  const counter = new MemoryCounter(systemClock);
  return { counter, dispose: () => counter.close() };
});
describeLeaseContract("Memory", async () => ({ leases: new MemoryLeases(), dispose: async () => {} }));
