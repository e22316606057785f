import { systemClock } from "../../../src/core/clock.js";
import { MemoryAdmissions } from "../../../src/store/counters/memory-admissions.js";
import { MemoryCounter, MemoryLeases } from "../../../src/store/counters/memory-counter.js";
import { describeAdmissionContract } from "./admissions.js";
import { describeCounterContract } from "./counter.js";
import { describeLeaseContract } from "./leases.js";

describeCounterContract("Memory", async () => {
  const counter = new MemoryCounter(systemClock);
  return { counter, dispose: () => counter.close() };
});
const open = async () => {
  const [counter, leases] = [new MemoryCounter(systemClock), new MemoryLeases()];
  const admissions = new MemoryAdmissions(counter, leases);
  return { admissions, counter, leases, dispose: () => counter.close() };
};
describeAdmissionContract("Memory", open);
describeLeaseContract("Memory", open);
