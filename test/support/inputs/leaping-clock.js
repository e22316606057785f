/**
 * Loaded before the built program (`--import`): on SIGUSR2 half a minute has passed by its monotonic clock, and it
 * says so. What waits by timers waits as long as ever; what asks how old something is finds it older.
 */
import { performance } from "node:perf_hooks";

const leapMs = 30_000;
const now = performance.now.bind(performance);
let leaptMs = 0;

performance.now = () => now() + leaptMs;
process.on("SIGUSR2", () => {
  leaptMs += leapMs;
  console.log(`leapt ${leaptMs} ms`);
});
