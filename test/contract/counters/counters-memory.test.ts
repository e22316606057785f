import { systemClock } from "../../../src/core/clock.js";
import { memoryCounters } from "../../../src/store/counters/counters.js";
import { describeAdmissionContract } from "./admissions.js";
import { describeCounterContract } from "./counter.js";
import { describeLeaseContract } from "./leases.js";

const open = async () => {
  const counters = memoryCounters(systemClock);
  return { ...counters, dispose: () => counters.close() };
};
describeCounterContract("Memory", open);
describeAdmissionContract("Memory", open);
describeLeaseContract("Memory", open);
